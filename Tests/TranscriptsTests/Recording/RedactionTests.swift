import JSON
import Testing
import Transcripts

struct RedactionTests {
    @Test(arguments: [
        // Tokens: of a client's requests, where they are given.
        (
            #"{"id":1,"method":"m","params":{"token":"t","initializationOptions":{"token":"u","x":1},"y":{"token":"v"}}}"#,
            #"{"id":1,"method":"m","params":{"token":"[redacted]","initializationOptions":{"token":"[redacted]","x":1},"y":{"token":"[redacted]"}}}"#
        ),
        (
            #"[{"id":1,"method":"m","params":[{"token":"t"}]},{"id":2,"method":"m","params":{"token":"u"}}]"#,
            #"[{"id":1,"method":"m","params":[{"token":"[redacted]"}]},{"id":2,"method":"m","params":{"token":"[redacted]"}}]"#
        ),
        (
            #"{"id":1,"method":"m","params":{"to\u006ben":"t"}}"#,
            #"{"id":1,"method":"m","params":{"to\u006ben":"[redacted]"}}"#
        ),
        // Wherever a token is: in notifications, results, errors, and a view model's own data.
        (#"{"method":"m","params":{"token":"t"}}"#, #"{"method":"m","params":{"token":"[redacted]"}}"#),
        (#"{"id":1,"result":{"token":"t"}}"#, #"{"id":1,"result":{"token":"[redacted]"}}"#),
        (#"{"error":{"data":[{"token":"t"}]}}"#, #"{"error":{"data":[{"token":"[redacted]"}]}}"#),
        (#"{"params":{"event":{"x":[{"token":"t"}]}}}"#, #"{"params":{"event":{"x":[{"token":"[redacted]"}]}}}"#),
        // A progress token is none.
        (
            #"{"method":"$/progress","params":{"token":"t","value":{"token":"u"}}}"#,
            #"{"method":"$/progress","params":{"token":"t","value":{"token":"[redacted]"}}}"#
        ),
        // Of another kind than it should be; and a schema that has a member of this name.
        (
            #"{"id":1,"method":"m","params":{"token":7,"y":{"token":[["t"]]},"z":{"token":{"token":"t"}}}}"#,
            #"{"id":1,"method":"m","params":{"token":"[redacted]","y":{"token":"[redacted]"},"z":{"token":{"token":"[redacted]"}}}}"#
        ),
        (
            #"{"result":{"properties":{"token":{"type":"string"},"other":{"token":null}}}}"#,
            #"{"result":{"properties":{"token":{"type":"string"},"other":{"token":null}}}}"#
        ),
        (
            #"{"id":1,"method":"m","params":{"token":"{\"key\":\"a\"}"}}"#,
            #"{"id":1,"method":"m","params":{"token":"[redacted]"}}"#
        ),
        // Keys: anywhere, the same wherever one comes back.
        (
            #"{"id":1,"result":{"sessions":[{"session":1,"key":"a"},{"session":2,"key":"b"},{"session":3,"key":"a"}]}}"#,
            #"{"id":1,"result":{"sessions":[{"session":1,"key":"key-1"},{"session":2,"key":"key-2"},{"session":3,"key":"key-1"}]}}"#
        ),
        (
            #"{"id":1,"result":{"navigation":{"stack":[{"key":"a"}],"presented":{"key":"\u0061"}}}}"#,
            #"{"id":1,"result":{"navigation":{"stack":[{"key":"key-1"}],"presented":{"key":"key-1"}}}}"#
        ),
        (
            #"[{"params":{"key":"a"}},{"params":{"key":"b"}}]"#,
            #"[{"params":{"key":"key-1"}},{"params":{"key":"key-2"}}]"#
        ),
        // An opening's `once`, by which the server gives its session's key.
        (
            #"[{"params":{"once":"a","key":"a"}},{"params":{"once":"b"}},{"params":{"once":"a"}}]"#,
            #"[{"params":{"once":"once-redacted-000000000-1","key":"key-1"}},{"params":{"once":"once-redacted-000000000-2"}},{"params":{"once":"once-redacted-000000000-1"}}]"#
        ),
        // A view model's own data, and values other than strings.
        (
            #"{"params":{"arguments":{"key":"a"},"event":{"key":"b"},"snapshot":[{"key":"c"}],"key":null}}"#,
            #"{"params":{"arguments":{"key":"a"},"event":{"key":"b"},"snapshot":[{"key":"c"}],"key":null}}"#
        ),
    ])
    func `a client's message is redacted`(_ message: String, _ expected: String) throws {
        #expect(try redacted([(.client, message)]) == [expected])
    }

    @Test func `an alias is the same on both sides and in every connection`() throws {
        let lines = try redacted([
            (.server, #"{"result":{"key":"b"}}"#), (.server, #"{"result":{"key":"a"}}"#),
            (.client, #"{"id":2,"method":"m","params":{"key":"b"}}"#), (.server, #"{"params":{"key":"c"}}"#),
            (.server, #"{"id":1,"method":"m","params":{"token":"t"}}"#),
        ])
        #expect(
            lines == [
                #"{"result":{"key":"key-1"}}"#, #"{"result":{"key":"key-2"}}"#,
                #"{"id":2,"method":"m","params":{"key":"key-1"}}"#, #"{"params":{"key":"key-3"}}"#,
                #"{"id":1,"method":"m","params":{"token":"[redacted]"}}"#,
            ])
    }

    @Test(arguments: [
        // A server's trace of the params that it received.
        (#"{"key":"a","since":2}"#, #"{"key":"key-1","since":2}"#),
        (
            #"{"token":"t","initializationOptions":{"token":"u"}}"#,
            #"{"token":"[redacted]","initializationOptions":{"token":"[redacted]"}}"#
        ),
        (#"[{"key":"a"},{"note":"{\"key\":\"a\"}"}]"#, #"[{"key":"key-1"},{"note":"{\"key\":\"key-1\"}"}]"#),
        // A message as a whole.
        (#"{"id":1,"method":"m","params":{"token":"t"}}"#, #"{"id":1,"method":"m","params":{"token":"[redacted]"}}"#),
        // The params of a second initialize in an array.
        (#"[{"token":"t"}]"#, #"[{"token":"[redacted]"}]"#),
        // Unchanged where there is nothing to take out.
        (#"{ "event": {"key":"a"} }"#, #"{ "event": {"key":"a"} }"#),
        (#"the "token" is wrong"#, #"the "token" is wrong"#),
        // What can't be parsed: cut off, with words around, quoted once more, without its end.
        (#"{"key":"a","#, #"{"key":"key-1","#),
        (#"{"key":"a"#, #"{"key":"key-1"#),
        (
            #"got {"token" : "a\"b\\", "key":"c"} and {"token":"d"}"#,
            #"got {"token" : "[redacted]", "key":"key-1"} and {"token":"[redacted]"}"#
        ),
        (#"got "{\"token\":\"t\",\"key\":\"a\"}""#, #"got "{\"token\":\"[redacted]\",\"key\":\"key-1\"}""#),
    ])
    func `JSON in a string is redacted`(_ text: String, _ expected: String) throws {
        let quoted = { (text: String) in JSONText { $0.string(text) }.description }
        let lines = try redacted([(.server, #"{"params":{"verbose":\#(quoted(text))}}"#)])
        #expect(lines == [#"{"params":{"verbose":\#(quoted(expected))}}"#])
    }

    /// Each message on a connection of its own.
    private func redacted(_ messages: [(TranscriptSide, String)]) throws -> [String] {
        var recorder = TranscriptRecorder(header: TranscriptHeader(title: ""), redacts: true)
        for (index, (side, message)) in messages.enumerated() {
            Array("\(message)\n".utf8).withUnsafeBytes { recorder.pass($0, from: side, on: index + 1, at: 0) }
        }
        recorder.finish(at: 0)
        let lines = String(decoding: recorder.takeOutput(), as: UTF8.self).split(separator: "\n").dropFirst()
        return try lines.map { line in
            let text = try Array(line.utf8).withUnsafeBytes { try JSONText(validating: $0) }
            return text.withValue { $0.member("message").map { "\(JSONText($0))" } ?? "" }
        }
    }
}
