import JSONRPC
import Serving
import Testing
import ViewModelProtocol

/// What is owed to a client is known from the messages alone.
struct RelayLedgerTests {
    private let decoder = MessageDecoder(dialect: .viewModels)

    private func ledger(_ exchange: (from: Side, message: String)...) -> RelayLedger {
        var ledger = RelayLedger(decoder)
        for (side, message) in exchange {
            Array(message.utf8).withUnsafeBytes { bytes in
                switch side {
                case .client: ledger.didForward(decoder.decode(bytes))
                case .server:
                    let isMessage = ledger.didReturn(bytes)
                    #expect(isMessage, "\(message)")
                }
            }
        }
        return ledger
    }

    private enum Side { case client, server }

    private static let open = #"{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"viewModel":"a"}}"#
    private static let opened = #"{"jsonrpc":"2.0","id":1,"result":{"session":7,"key":"k","viewModel":"a"}}"#

    private func ids(_ debts: RelayLedger.Debts) -> [String] {
        debts.answers.map { answer in
            let ids = answer.ids.map { "\($0)" }.joined(separator: " ")
            return answer.isBatch ? "[\(ids)]" : ids
        }
    }

    @Test func `requests are owed until they are answered, in their order, and batches as a whole`() {
        var ledger = ledger(
            (.client, #"{"jsonrpc":"2.0","id":"b","method":"view/event"}"#),
            (
                .client,
                #"[{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","method":"view/event"},{"jsonrpc":"2.0","id":1.0,"method":"ping"}]"#
            ),
            (.client, #"{"jsonrpc":"2.0","id":2,"method":"ping"}"#),
            (.client, #"{"jsonrpc":"2.0","id":4,"method":"ping"}"#),
            (.server, #"{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":""}}"#))
        #expect(ledger.owesAnswers)
        let debts = ledger.takeDebts()
        #expect(ids(debts) == [#""b""#, "[3 1.0]", "4"])
        #expect(!ledger.owesAnswers)
    }

    @Test func `a batch that is answered is owed no more`() {
        let ledger = ledger(
            (.client, #"[{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","id":4,"method":"ping"}]"#),
            (.server, #"[{"jsonrpc":"2.0","id":4,"result":null},{"jsonrpc":"2.0","id":3,"result":null}]"#))
        #expect(!ledger.owesAnswers)
    }

    @Test func `an id that is in flight already is owed one answer`() {
        let ping = #"{"jsonrpc":"2.0","id":3,"method":"ping"}"#
        var ledger = ledger((.client, ping), (.client, ping))
        let debts = ledger.takeDebts()
        #expect(ids(debts) == ["3"])
    }

    @Test func `a view is there from its answer on, until it is closed or left`() {
        var attached = ledger((.client, Self.open), (.server, Self.opened))
        #expect(attached.lastView == 7 && attached.hasHadViews)
        let debtsOfAttached = attached.takeDebts()
        #expect(debtsOfAttached.views == [7])
        var closed = ledger(
            (.client, Self.open), (.server, Self.opened),
            (.server, #"{"jsonrpc":"2.0","method":"session/closed","params":{"session":7,"reason":"closed"}}"#))
        let debtsOfClosed = closed.takeDebts()
        #expect(debtsOfClosed.views == [])
        #expect(closed.lastView == 7)
        for method in ["session/detach", "session/close"] {
            let leave = #"{"jsonrpc":"2.0","id":2,"method":"\#(method)","params":{"session":7}}"#
            var refused = ledger(
                (.client, Self.open), (.server, Self.opened), (.client, leave),
                (.server, #"{"jsonrpc":"2.0","id":2,"error":{"code":-32012,"message":""}}"#))
            let debtsOfRefused = refused.takeDebts()
            #expect(debtsOfRefused.views == [7])
            var left = ledger(
                (.client, Self.open), (.server, Self.opened), (.client, leave),
                (.server, #"{"jsonrpc":"2.0","id":2,"result":null}"#))
            let debtsOfLeft = left.takeDebts()
            #expect(debtsOfLeft.views == [])
        }
    }

    /// A message that is so long that it comes in pieces of this length.
    private func take(_ message: String, by pieceBytes: Int, _ ledger: inout RelayLedger) -> Bool {
        let bytes = Array(message.utf8)
        return stride(from: 0, to: bytes.count, by: pieceBytes).allSatisfy { start in
            let end = min(bytes.count, start + pieceBytes)
            return bytes[start..<end].withUnsafeBytes { piece in
                ledger.didReturn(
                    MessagePiece(piece, of: bytes.count, isFirst: start == 0, isLast: end == bytes.count))
            }
        }
    }

    @Test(arguments: [1, 7, 50, 1_000]) func `a message in pieces counts once it is whole`(_ pieceBytes: Int) {
        let long = String(repeating: "x", count: 3_000)
        let answers =
            #"[{"jsonrpc":"2.0","id":3,"result":{"rows":["\#(long)"]}},"#
            + #"{"jsonrpc":"2.0","id":1,"result":{"snapshot":"\#(long)","session":7,"key":"k"}}]"#
        var ledger = ledger((.client, Self.open), (.client, #"{"jsonrpc":"2.0","id":3,"method":"session/rows"}"#))
        let isMessage = take(answers, by: pieceBytes, &ledger)
        #expect(isMessage && !ledger.owesAnswers && ledger.lastView == 7)

        let event = #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":7,"event":"\#(long)"}}"#
        let isEvent = take(event, by: pieceBytes, &ledger)
        #expect(isEvent)
        let isNone = take(#"{"jsonrpc":"2.0","id":3,"method":"\#(long)"}"#, by: pieceBytes, &ledger)
        #expect(!isNone)
        let debts = ledger.takeDebts()
        #expect(debts.views == [7])
    }

    @Test func `an open that failed is no view`() {
        var ledger = ledger(
            (.client, Self.open), (.server, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32014,"message":""}}"#))
        let debtsOfLedger = ledger.takeDebts()
        #expect(debtsOfLedger.views == [] && !ledger.hasHadViews)
    }

    @Test func `progress that has begun is owed its end`() {
        func progress(_ token: String, _ kind: String) -> (Side, String) {
            (
                .server,
                #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":\#(token),"value":{"kind":"\#(kind)"}}}"#
            )
        }
        var ledger = ledger(
            progress("1", "begin"), progress("2", "begin"), progress("1", "report"), progress("2", "end"))
        let debtsOfLedger = ledger.takeDebts()
        #expect(debtsOfLedger.tokens.map { "\($0)" } == ["1"])
    }

    @Test func `initialize and exit are noticed`() {
        var ledger = ledger((.client, #"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#))
        #expect(!ledger.hasExited)
        let debtsOfLedger = ledger.takeDebts()
        #expect(debtsOfLedger.includesInitialize)
        #expect(self.ledger((.client, #"{"jsonrpc":"2.0","method":"exit"}"#)).hasExited)
    }

    @Test(arguments: ["", "{", "1", #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, #"[{"jsonrpc":"1.0"}]"#])
    func `a far side that says anything else is found out`(_ text: String) {
        var ledger = RelayLedger(decoder)
        let isMessage = Array(text.utf8).withUnsafeBytes { ledger.didReturn($0) }
        #expect(!isMessage)
    }
}
