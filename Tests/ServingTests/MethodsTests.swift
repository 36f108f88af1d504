import Serving
import Sessions
import TestSupport
import Testing
import Transcripts

@Suite(.inTurn, .timeLimit(.minutes(4))) struct MethodsTests {
    private static let names = CoverageGoals(Registry()).methods

    @Test(arguments: names)
    func `a method is found by its name, with and without escapes`(name: String) async throws {
        try await withServer { server in
            let plain = try await answer(to: name, of: server)
            #expect(!Self.isUnknown(plain), "\(plain)")
            let escaped = name.unicodeScalars.map { #"\u00"# + String($0.value, radix: 16) }
            let answer = try await self.answer(to: escaped.joined(), of: server)
            #expect(answer == plain)
            for place in escaped.indices {
                let letters = name.map { String($0) }
                let mixed = (letters[..<place] + [escaped[place]] + letters[(place + 1)...]).joined()
                let answer = try await self.answer(to: mixed, of: server)
                #expect(answer == plain)
            }
            let others = [
                "\(name)x", String(name.dropLast()), name.uppercased(), "x\(name.dropFirst())", #"\#(name)\u0000"#,
            ]
            for other in others where !Self.names.contains(other) {
                let answer = try await self.answer(to: other, of: server)
                #expect(Self.isUnknown(answer), "\(other)")
            }
        }
    }

    @Test(arguments: ["", "x", "view/evenT", "navigation/push", String(repeating: "x", count: 10_000)])
    func `no other name is found`(name: String) async throws {
        try await withServer { server in
            let answer = try await self.answer(to: name, of: server)
            #expect(Self.isUnknown(answer), "\(answer)")
        }
    }

    /// The answer to the first request of an initialized connection. It has params, since without them `$/cancelRequest` is one
    /// that Vim sends, and has no answer.
    ///
    /// - Parameter method: as it is between the quotes.
    private func answer(to method: String, of server: TestServer) async throws -> String {
        let client = try await server.connected()
        client.send(Wire.request("1", method, "{}"))
        return try await client.next()
    }

    private static func isUnknown(_ answer: String) -> Bool {
        answer.contains(#""error":{"code":-32601,"#)
    }
}
