import SchemaValidation
import Testing

/// The complaints about a faulty conversation.
@Suite struct ProtocolWatchTests {
    private let schema: ProtocolSchema

    init() throws {
        schema = try ProtocolSchema()
    }

    /// A conversation: `>` is before a client's message, `<` before the server's.
    private func complaints(_ lines: String...) -> [String] {
        var watch = ProtocolWatch(schema)
        for line in lines {
            let text = String(line.dropFirst())
            if line.hasPrefix(">") { watch.clientSent(text) } else { watch.serverSent(text) }
        }
        watch.end()
        return watch.complaints
    }

    private static let list = #">{"jsonrpc":"2.0","id":1,"method":"session/list"}"#

    @Test func `a conversation that is right`() {
        #expect(complaints(Self.list, #"<{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}"#) == [])
        #expect(complaints(">{", #"<{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#) == [])
        #expect(
            complaints(
                #">{"jsonrpc":"2.0","id":"a","method":"session/close","params":{}}"#,
                #"<{"jsonrpc":"2.0","id":"a","error":{"code":-32012,"message":"x"}}"#) == [])
        #expect(
            complaints(
                #">[{"jsonrpc":"2.0","id":1,"method":"ping"},1]"#,
                #"<[{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}]"#
            )
                == [])
    }

    @Test func `a result of another method`() {
        #expect(complaints(Self.list, #"<{"jsonrpc":"2.0","id":1,"result":{"seq":1}}"#).count == 2)
        #expect(complaints(Self.list, #"<{"jsonrpc":"2.0","id":1,"result":null}"#).count == 1)
    }

    @Test func `a message that the schema rejects and the server takes`() {
        let complaints = complaints(
            #">{"jsonrpc":"2.0","id":1,"method":"session/close","params":{}}"#,
            #"<{"jsonrpc":"2.0","id":1,"result":null}"#)
        #expect(complaints.count == 1)
    }

    @Test func `a message of the server that the schema rejects`() {
        #expect(complaints(#"<{"jsonrpc":"2.0","method":"session/closed","params":{"session":1}}"#).count == 1)
        #expect(complaints("<{").count == 1)
    }

    @Test func `an answer to nothing`() {
        #expect(complaints(#"<{"jsonrpc":"2.0","id":1,"result":null}"#).count == 1)
        var watch = ProtocolWatch(schema)
        watch.serverSent(#"{"jsonrpc":"2.0","id":1,"result":null}"#, knowsRequests: false)
        #expect(watch.complaints == [])
    }

    @Test func `a rejected message that nobody is told of`() {
        #expect(complaints(">{").count == 1)
        #expect(complaints(">[]").count == 1)
        #expect(complaints(#">{"jsonrpc":"2.0","id":null,"method":"ping"}"#).count == 1)
        #expect(complaints(#">{"jsonrpc":"2.0","method":"ping"}"#).count == 1)
        #expect(
            complaints(
                #">{"jsonrpc":"2.0","method":"ping"}"#,
                #"<{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":2,"message":"x"}}"#) == [])
    }

    @Test func `an id that is used again before its answer comes is nobody's`() {
        #expect(
            complaints(
                #">{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Self.list, #"<{"jsonrpc":"2.0","id":1,"result":null}"#,
                #"<{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}"#) == [])
    }

    @Test func `of a flood a sample is taken`() {
        var watch = ProtocolWatch(schema)
        for _ in 0..<10_000 { watch.serverSent("{}") }
        // "{}" lacks three members.
        #expect(watch.complaints.count > 3 * 100 && watch.complaints.count < 3 * 1_000)
    }
}
