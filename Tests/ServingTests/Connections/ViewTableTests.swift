import SchemaValidation
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct ViewTableTests {
    @Test(arguments: 0..<3)
    func `views are known by their numbers, and listed in order, whichever were detached`(seed: Int) async throws {
        try await withServer { server in
            let (owner, client) = (try await server.connected(), try await server.connected())
            owner.send(Wire.open("1", "probe"))
            try await owner.expect(Wire.opened("1", 1, "key-1", "probe"))
            var generator = SeededGenerator(seed: seed)
            var attached: [Int] = []
            var last = 0
            for _ in 0..<30 {
                if Int.random(in: 0..<5, using: &generator) < 3 {
                    last += 1
                    attached.append(last)
                    client.send(Wire.request("1", "session/attach", #"{"key":"key-1","since":0}"#))
                    try await client.expect(Wire.attached("1", last, "probe", snapshot: nil))
                } else {
                    let number = Int.random(in: 0...last + 2, using: &generator)
                    client.send(Wire.request("1", "session/detach", #"{"session":\#(number)}"#))
                    if let index = attached.firstIndex(of: number) {
                        attached.remove(at: index)
                        try await client.expect(Wire.result("1"))
                    } else {
                        try await client.expectError(-32_012, id: "1")
                    }
                }
                try await check(client, attached, upTo: last + 2)
            }
        }
    }

    private func check(_ client: TestClient, _ attached: [Int], upTo last: Int) async throws {
        client.send(Wire.request("0", "session/list"))
        let list = try ExactJSON(text: await client.next())["result"]?["sessions"]?.elements ?? []
        #expect(list.compactMap { $0["session"]?.integer } == attached)
        for number in 0...last {
            client.send(Wire.request("\(number)", "navigation/back", #"{"session":\#(number)}"#))
        }
        for number in 0...last {
            // There is nothing to go back to from a view that is known.
            try await client.expectError(attached.contains(number) ? -32_600 : -32_012, id: "\(number)")
        }
    }
}
