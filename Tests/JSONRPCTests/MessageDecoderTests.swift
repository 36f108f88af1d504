import JSON
import JSONRPC
import Testing
import TestSupport

@Suite(.inTurn) struct MessageDecoderTests {
    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}"#, #"request 1 m {"a":1}"#),
        (#"{"jsonrpc":"2.0","id":"x","method":"m"}"#, #"request "x" m -"#),
        (#"{"params":[],"method":"m","id":1,"jsonrpc":"2.0"}"#, "request 1 m []"),
        (#"{"jsonrpc":"2.0","id":1,"method":"m","params":3}"#, "request 1 m 3"),
        (#"{"jsonrpc":"2.0","id":1,"method":"","params":null}"#, "request 1  null"),
        (#" { "jsonrpc" : "2.0" , "id" : 1 , "method" : "m" } "#, "request 1 m -"),
        (#"{"\u006asonrpc":"2\u002e0","\u0069d":1,"m\u0065thod":"\u006d"}"#, "request 1 m -"),
        (#"{"jsonrpc":"1.0","id":1,"id":2,"method":"n","method":"m","jsonrpc":"2.0"}"#, "request 2 m -"),
        (#"{"jsonrpc":"2.0","id":1,"method":"m","result":1,"extra":{}}"#, "request 1 m -"),
        (#"{"jsonrpc":"2.0","method":"m","params":{}}"#, "notification m {}"),
        (#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#, #"notification $/cancelRequest {"id":1}"#),
        (#"{"jsonrpc":"2.0","id":1,"method":"$/cancelRequest"}"#, "cancellation 1"),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"$/cancelRequest","params":{"id":2}}"#,
            #"request 1 $/cancelRequest {"id":2}"#
        ),
        (#"{"jsonrpc":"2.0","id":1,"result":null}"#, "response 1"),
        (#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#, "response -"),
        (#"{"result":1}"#, "response -"),
    ])
    func `a message is what its members say`(text: String, expected: String) {
        #expect(described(text) == expected)
    }

    @Test(arguments: [
        (#"{"id":1,"method":"m"}"#, "1", #""jsonrpc" must be "2.0""#),
        (#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, "1", #""jsonrpc" must be "2.0""#),
        (#"{"jsonrpc":2.0,"id":1,"method":"m"}"#, "1", #""jsonrpc" must be "2.0""#),
        (#"{"jsonrpc":"2.0","id":1,"method":3}"#, "1", #""method" must be a string, not a number"#),
        (#"{"jsonrpc":"2.0","id":"a","method":null}"#, #""a""#, #""method" must be a string, not null"#),
        (#"{"jsonrpc":"2.0","method":{}}"#, "-", #""method" must be a string, not an object"#),
        (#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, "-", #""id" must be a string or an integer, not null"#),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#, "-", "not the number 1.5"),
        (#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, "-", "not a boolean"),
        (#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#, "-", "not an array"),
        (#"{"jsonrpc":"2.0","id":{},"method":"$/cancelRequest"}"#, "-", "not an object"),
        (#"{"jsonrpc":"2.0","id":7}"#, "7", "neither a request"),
        ("{}", "-", "neither a request"),
        ("3", "-", "a message is an object, not a number"),
        (#""text""#, "-", "a message is an object, not a string"),
        ("null", "-", "a message is an object, not null"),
    ])
    func `a broken message is owed an InvalidRequest with its id where that can be read`(
        text: String, id: String, reason: String
    ) {
        let found = described(text)
        #expect(found.hasPrefix("invalid \(id) invalidRequest: "), "\(found)")
        #expect(found.contains(reason), "\(found)")
    }

    @Test(arguments: [
        "", " ", "{", "}", "nul", "{\"a\":}", "{} {}", "[1,]", "'a'", "{\"id\":01}", "\"\u{1}\"", #"{"a":"\ud800"}"#,
    ])
    func `a message that is not JSON is unreadable`(text: String) {
        #expect(described(text).hasPrefix("unreadable parseError: not valid JSON"))
    }

    @Test func `a message that is not UTF-8 is unreadable`() {
        #expect(described([0x22, 0xFF, 0x22]).hasPrefix("unreadable parseError"))
    }

    @Test func `nesting is taken up to its limit and no deeper`() {
        let decoder = MessageDecoder(maximumDepth: 4)
        let message = #"{"jsonrpc":"2.0","id":1,"method":"m","params":"#
        #expect(described(message + "[[[]]]}", decoder) == "request 1 m [[[]]]")
        #expect(described(message + "[[[[]]]]}", decoder).hasPrefix("invalid 1 parseError"))
        #expect(described(String(repeating: "[", count: 1 << 20)).hasPrefix("unreadable parseError"))
    }

    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":7,"method":"m","params":[1,2,3,4]}"#, "invalid 7"),
        (#" { "\u0069d" : "a" , "params" : [ [ ] , { } , 3 , 4 ] }"#, #"invalid "a""#),
        // It isn't known before the whole is read, or isn't one.
        (#"{"jsonrpc":"2.0","method":"m","params":[1,2,3,4],"id":7}"#, "unreadable"),
        (#"{"id":[1],"params":[1,2,3,4]}"#, "unreadable"), (#"{"id":1.5,"params":[1,2,3,4]}"#, "unreadable"),
        (#"{"id":"12345678901","params":[1,2,3,4]}"#, "unreadable"),
        (#"[{"id":7,"method":"m","params":[1,2,3,4]}]"#, "unreadable"), (#"{"id":7,,,,,"#, "invalid 7"),
    ])
    func `a message with too many values is refused by its id, where that is before them`(
        _ text: String, _ expected: String
    ) {
        let decoder = MessageDecoder(maximumValues: 5, maximumIDBytes: 10, dialect: .test)
        #expect(described(text, decoder).hasPrefix("\(expected) limitExceeded: a message with more than 5"))
    }

    @Test func `a batch keeps the order of its messages, whatever they are`() {
        let text = """
            [{"jsonrpc":"2.0","id":1,"method":"a"}, 3, {"jsonrpc":"2.0","method":"b"}, [], {"id":2,"result":1},
            {"jsonrpc":"2.0","id":1,"method":"$/cancelRequest"}]
            """
        let expected =
            "batch: request 1 a -; invalid - invalidRequest: not a number; notification b -; "
            + "invalid - invalidRequest: not an array; response 2; cancellation 1"
        #expect(
            described(text)
                .replacing("not a JSON-RPC 2.0 message: ", with: "")
                .replacing("a message is an object, ", with: "") == expected)
    }

    @Test func `plain JSON-RPC has no cancellation, and no code for limits`() {
        let text = #"{"jsonrpc":"2.0","id":1,"method":"$/cancelRequest"}"#
        #expect(described(text, MessageDecoder()) == "request 1 $/cancelRequest -")
        let batch = described("[1,2]", MessageDecoder(maximumBatchCount: 1))
        #expect(batch.hasPrefix("unreadable invalidRequest: a batch of 2 messages"))
    }

    @Test func `an empty batch is an InvalidRequest`() {
        #expect(described("[]").hasPrefix("unreadable invalidRequest: an empty batch"))
        #expect(described(" [ ] ").hasPrefix("unreadable invalidRequest: an empty batch"))
    }

    @Test func `a batch is taken up to its limit and no longer`() {
        let decoder = MessageDecoder(maximumBatchCount: 3, dialect: .test)
        #expect(described("[1,2,3]", decoder).hasPrefix("batch: "))
        #expect(described("[1,2,3,4]", decoder).hasPrefix("unreadable limitExceeded: a batch of 4 messages"))
    }

    @Test(arguments: 0..<40)
    func `a broken message has the error that it has where only the text is checked`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        let texts = [
            #"{"jsonrpc":"2.0","id":1,"method":"m","params":{"session":1,"event":{"kind":"a","values":[1,-2.5e3,true]}}}"#,
            #" [ {"jsonrpc":"2.0","id":"\u0041","method":"m"} , 3 , {"result" : null} ] "#, "[[[[]]]]", #""text""#,
            "-0",
        ]
        let decoder = MessageDecoder(maximumDepth: 3)
        for _ in 0..<50 {
            for text in texts {
                let bytes = Array(text.utf8).mutated(using: &generator)
                let error = bytes.withUnsafeBytes { bytes in
                    do throws(JSONError) {
                        _ = try JSONValue(validating: bytes, maximumDepth: 3)
                        return JSONError?.none
                    } catch {
                        return error
                    }
                }
                let found = described(bytes, decoder)
                if let error {
                    #expect(found.hasSuffix(" parseError: not valid JSON: \(error)"), "\(bytes)")
                    // Of what is only too deep the id may be known.
                    let mayHaveID = if case .tooDeep = error.reason { found.hasPrefix("invalid ") } else { false }
                    #expect(mayHaveID || found.hasPrefix("unreadable "), "\(bytes)")
                } else {
                    #expect(!found.hasPrefix("unreadable parseError"), "\(bytes)")
                }
            }
        }
    }

    private func described(_ text: String, _ decoder: MessageDecoder = .init(dialect: .test)) -> String {
        described(Array(text.utf8), decoder)
    }

    private func described(_ bytes: [UInt8], _ decoder: MessageDecoder = .init(dialect: .test)) -> String {
        bytes.withUnsafeBytes { bytes in
            switch decoder.decode(bytes) {
            case .message(let message): describe(message)
            case .batch(let messages): "batch: " + messages.map(describe).joined(separator: "; ")
            case .unreadable(let error): "unreadable \(error.code.words): \(error.message)"
            }
        }
    }

    private func describe(_ message: Message) -> String {
        func name(_ id: RequestID?) -> String { id?.description ?? "-" }
        return switch message {
        case .request(let id, let method, let params): "request \(id) \(method) \(params?.string ?? "-")"
        case .notification(let method, let params): "notification \(method) \(params?.string ?? "-")"
        case .cancellation(let id): "cancellation \(id)"
        case .response(let id, _): "response \(name(id))"
        case .invalid(let error, let id): "invalid \(name(id)) \(error.code.words): \(error.message)"
        }
    }
}
