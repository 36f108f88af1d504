import SchemaValidation
import Testing

/// Messages that are nearly right.
@Suite struct NearMissTests {
    private let schema: ProtocolSchema

    init() throws {
        schema = try ProtocolSchema()
    }

    /// Messages that the server must never send.
    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"result":null,"error":null}"#,
        #"{"jsonrpc":"2.0","id":1,"result":null,"time":1}"#,
        #"{"jsonrpc":"2.0","id":null,"result":null}"#,
        #"{"jsonrpc":"2.0","id":1.5,"result":null}"#,
        #"{"jsonrpc":"2.0","id":1,"result":"done"}"#,
        #"{"jsonrpc":"2.0","result":null}"#,
        #"{"jsonrpc":"1.0","id":1,"result":null}"#,
        #"{"id":1,"result":null}"#,
        #"[]"#,
        #"[{"jsonrpc":"2.0","method":"session/closed","params":{"session":1,"reason":"closed"}}]"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":1}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x","data":{}}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x","hint":"y"}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"x"}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":"-32603","message":"x"}}"#,
        #"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"x"}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"x","data":{"path":"","reason":"y"}}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x"}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x","data":{"path":"/a"}}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x","data":{"path":"a","reason":"y"}}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x","data":{"path":"/a","reason":"y","at":1}}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32011,"message":"x","data":{"known":[1]}}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32013,"message":"x"}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32015,"message":"x","data":{"retryAfterMs":100}}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32015,"message":"x","data":{"limit":"a","retryAfterMs":"1"}}}"#,
        #"{"jsonrpc":"2.0","method":"session/closed"}"#,
        #"{"jsonrpc":"2.0","method":"session/closed","params":[{"session":1,"reason":"closed"}]}"#,
        #"{"jsonrpc":"2.0","method":"session/closed","params":{"session":1,"reason":"bored"}}"#,
        #"{"jsonrpc":"2.0","method":"session/closed","params":{"session":0,"reason":"closed"}}"#,
        #"{"jsonrpc":"2.0","method":"session/opened","params":{}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/closed","params":{"session":1,"reason":"closed"}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":0,"event":{"kind":"a"}}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":9223372036854775808,"event":{"kind":"a"}}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1.5,"event":{"kind":"a"}}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{}}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":"a"}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{"kind":1}}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{"kind":"a"},"more":false}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":2,"event":{"kind":"a"},"after":null}}"#,
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{"kind":"a"},"at":0}}"#,
        #"{"jsonrpc":"2.0","method":"navigation/push","params":{"session":1,"seq":1,"key":"k"}}"#,
        #"{"jsonrpc":"2.0","method":"navigation/push","params":{"session":1,"seq":1,"viewModel":"a","key":"k/"}}"#,
        #"{"jsonrpc":"2.0","method":"navigation/pop","params":{"session":1,"seq":1,"viewModel":"a","key":"k"}}"#,
        #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"kind":"begin","cancellable":true}}}"#,
        #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"kind":"report","percentage":101}}}"#,
        #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"kind":"end","percentage":100}}}"#,
        #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":null,"value":{"kind":"end"}}}"#,
        #"{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":5,"message":"x"}}"#,
        #"{"jsonrpc":"2.0","method":"$/logTrace","params":{"message":"x","verbose":{}}}"#,
    ])
    func `is no message of the server`(_ text: String) {
        #expect(schema.judgeServerMessage(text: text)?.isValid == false)
        #expect(!schema.document.validate(text: text, by: "/$defs/serverMessage").isEmpty)
    }

    /// Results that the method doesn't have.
    @Test(arguments: [
        ("ping", "{}"),
        ("shutdown", "true"),
        ("session/open", #"{"session":1,"key":"k"}"#),
        ("session/open", #"{"session":"1","key":"k","viewModel":"a"}"#),
        ("session/open", #"{"session":1,"key":"k","viewModel":"a","total":0}"#),
        ("session/attach", #"{"session":1,"viewModel":"a"}"#),
        ("session/attach", #"{"session":1,"viewModel":"a","seq":-1}"#),
        ("session/attach", #"{"session":1,"viewModel":"a","seq":1,"snapshot":null}"#),
        ("session/attach", #"{"session":1,"viewModel":"a","seq":1,"snapshot":[1]}"#),
        ("session/attach", #"{"session":1,"viewModel":"a","seq":1,"key":"k"}"#),
        ("session/attach", #"{"session":1,"viewModel":"a","seq":1,"navigation":{"stack":[]}}"#),
        (
            "session/attach",
            #"{"session":1,"viewModel":"a","seq":1,"navigation":{"stack":[{"key":"k"}],"presented":null}}"#
        ),
        ("session/list", "[]"),
        ("session/list", #"{"sessions":[{"session":1,"key":"k","viewModel":"a","seq":0}]}"#),
        ("session/list", #"{"sessions":[{"session":1,"key":"k","viewModel":"a","seq":0,"views":0}]}"#),
        ("session/list", #"{"sessions":[{"key":"k","viewModel":"a","views":1}]}"#),
        (
            "session/list",
            #"{"sessions":[{"session":1,"key":"k","viewModel":"a","seq":0,"lastUsed":"1970-01-01T00:00:00Z"}]}"#
        ),
        ("session/list", #"{"sessions":[{"key":"k","viewModel":"a","lastUsed":1000}]}"#),
        ("view/event", "null"),
        ("view/event", #"{"seq":"1"}"#),
        ("view/event", #"{"seq":1,"after":0}"#),
        ("initialize", #"{"protocolVersion":"1.1"}"#),
        ("viewModel/describe", #"{"name":"a","arguments":true,"viewEvent":true}"#),
        ("viewModel/describe", #"{"name":"a","arguments":1,"viewEvent":true,"viewModelEvent":true}"#),
        ("viewModel/describe", #"{"name":"a","arguments":{},"viewEvent":{},"viewModelEvent":{},"version":1}"#),
        (
            "viewModel/describe",
            #"{"name":"a","arguments":{},"viewEvent":{},"viewModelEvent":{},"lists":{"a":{"id":"b"}}}"#
        ),
    ])
    func `is no result of the method`(_ method: String, _ text: String) throws {
        #expect(try !schema.judgeResult(ExactJSON(text: text), of: method).isValid)
    }

    /// Messages that the server refuses.
    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1}"#,
        #"{"jsonrpc":"2.0","id":1,"method":1}"#,
        #"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
        #"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        #"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        #"{"jsonrpc":2.0,"id":1,"method":"ping"}"#,
        #"{"id":1,"method":"ping"}"#,
        #"{"jsonrpc":"2.0","method":"ping"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"exit"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"ping","params":1}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"ping","params":[{},{}]}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":"x"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":"1"}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"token":1}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"initializationOptions":{"token":1}}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/open"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/open","params":null}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/open","params":[]}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/open","params":{}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"viewModel":null}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"viewModel":"a","client":1}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/open","params":["a"]}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/attach","params":{"key":1}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/attach","params":{"key":"k","since":-1}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/attach","params":{"key":"k","since":1.5}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/close","params":{"session":"1"}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"view/event","params":{"session":1}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"view/event","params":{"session":1,"event":{}}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"view/event","params":{"session":1,"event":{"kind":"a"},"number":0}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"view/event","params":{"session":1,"event":{"kind":"a"},"workDoneToken":[]}}"#,
        #"{"jsonrpc":"2.0","method":"view/event","params":{"event":{"kind":"a"}}}"#,
        #"{"jsonrpc":"2.0","method":"$/cancelRequest"}"#,
        #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":null}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"$/cancelRequest","params":{"id":1}}"#,
        #"{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":1}}"#,
        "[]",
        "[1]",
        "1",
        "null",
    ])
    func `is no message of a client`(_ text: String) {
        #expect(schema.judgeClientMessage(text: text)?.isValid == false)
        #expect(!schema.document.validate(text: text, by: "/$defs/clientMessage").isEmpty)
    }

    /// Messages of existing clients that the server takes.
    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":"a","method":"ping"}"#,
        #"{"jsonrpc":"2.0","id":9007199254740993,"method":"ping","params":null}"#,
        #"{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping","params":[]}"#,
        #"{"jsonrpc":"2.0","id":1.0,"method":"ping","params":[null]}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"ping","params":[{"x":1}],"more":true}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"no/such","params":7}"#,
        #"{"jsonrpc":"2.0","method":"no/such"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":[null]}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"trace":7,"clientInfo":1,"capabilities":null}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/open","params":[{"viewModel":"a","arguments":null,"client":null}]}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"session/attach","params":{"key":"k","since":null,"x":{}}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"view/event","params":{"session":1,"event":{"kind":"a"},"number":null}}"#,
        #"{"jsonrpc":"2.0","method":"view/event","params":[{"session":1,"event":{"kind":"a"},"workDoneToken":null}]}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"$/cancelRequest"}"#,
        #"{"jsonrpc":"2.0","id":1,"result":null}"#,
        #"{"id":1,"error":{}}"#,
        #"[{"jsonrpc":"2.0","method":"initialized"},{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
    ])
    func `is a message of a client`(_ text: String) {
        #expect(schema.judgeClientMessage(text: text)?.violations == [])
        #expect(schema.document.validate(text: text, by: "/$defs/clientMessage") == [])
        #expect(schema.document.validate(text: text) == [])
    }
}
