import JSON
import JSONRPC
import TestSupport
import Testing

@Suite(.inTurn) struct MessageEncoderTests {
    @Test func `a result has three members in one order`() {
        let text = written { writer in
            MessageEncoder.response(RequestID(1), into: &writer) { $0.null() }
        }
        #expect(text == #"{"jsonrpc":"2.0","id":1,"result":null}"#)
    }

    @Test func `an error has no member beside code, message and data`() {
        let plain = written { writer in
            MessageEncoder.response(RequestID(1), into: &writer, error: RPCError(.methodNotFound, "no \"m\""))
        }
        #expect(plain == #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no \"m\""}}"#)
        let withData = written { writer in
            MessageEncoder.response(nil, into: &writer, error: Dialect.test.limitExceeded("x", "y"))
        }
        #expect(
            withData
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32015,"message":"y","data":{"limit":"x"}}}"#
        )
    }

    @Test func `a notification always has params`() {
        let empty = written { writer in MessageEncoder.notification("m", into: &writer) { _ in } }
        #expect(empty == #"{"jsonrpc":"2.0","method":"m","params":{}}"#)
        let full = written { writer in
            MessageEncoder.notification("m", into: &writer) { params in
                params.key("a")
                params.integer(1)
            }
        }
        #expect(full == #"{"jsonrpc":"2.0","method":"m","params":{"a":1}}"#)
        // Names that begin as a number, true, false or null do.
        for (name, text) in [("n", #""n""#), ("true", #""true""#), ("-1", #""-1""#)] as [(StaticString, String)] {
            let parts = written { writer in
                MessageEncoder.beginNotification(name, into: &writer)
                writer.key("a")
                writer.integer(1)
                MessageEncoder.endNotification(into: &writer)
            }
            #expect(parts == #"{"jsonrpc":"2.0","method":\#(text),"params":{"a":1}}"#)
        }
    }
}
