import Sessions
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct ReconnectTests {
    /// Guarantee 5, while events keep coming: each client is cut again and again, at another place each time.
    @Test func `whoever is cut and comes back with since sees every number once and in order`() async throws {
        var limits = Limits()
        // However slow one client is, nothing that it missed is let go.
        limits.replayEvents = 10_000
        try await withServer(loops: 2, limits: limits) { server in
            let (clientCount, rounds, perRound) = (10, 200, 10)
            let driver = try await server.connected()
            driver.send(Wire.open("0", "probe"))
            try await driver.expect(Wire.opened("0", 1, "key-1", "probe"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<clientCount {
                    group.addTask {
                        var viewer = Viewer(server: server, loop: index % 2, seed: UInt64(index))
                        let (gaps, cuts) = try await viewer.watch(until: rounds * perRound)
                        #expect(gaps.isEmpty, "\(gaps.prefix(3))")
                        #expect(cuts > 3)
                    }
                }
                group.addTask {
                    for round in 1...rounds {
                        driver.send(Wire.viewEvent("\(round)", 1, #"{"kind":"emit","count":\#(perRound)}"#))
                        while try await driver.next() != Wire.result("\(round)", #"{"seq":\#(round * perRound)}"#) {}
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

/// A client that loses its connection after a few messages, over and over.
private struct Viewer {
    let server: TestServer
    let loop: Int
    private var state: UInt64

    init(server: TestServer, loop: Int, seed: UInt64) {
        self.server = server
        self.loop = loop
        state = seed
    }

    mutating func watch(until last: Int) async throws -> (gaps: [String], cuts: Int) {
        var (seen, cuts) = (0, 0)
        var gaps: [String] = []
        while seen < last {
            let client = try await server.connected(loop: loop)
            client.send(Wire.request("1", "session/attach", #"{"key":"key-1","since":\#(seen)}"#))
            let answer = try await client.next()
            if !answer.hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":{"session":1"#) { gaps.append(answer) }
            for _ in 0..<patience() where seen < last {
                let event = try await client.next()
                seen += 1
                let start = #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":\#(seen),"#
                if !event.hasPrefix(start) { gaps.append("\(event) came where \(seen) was due") }
            }
            client.cut()
            cuts += 1
            if gaps.count > 5 { break }
        }
        return (gaps, cuts)
    }

    /// How many events to wait for before the next cut: 1 to 256, the same in every run.
    private mutating func patience() -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 56) + 1
    }
}
