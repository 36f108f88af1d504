import JSON
import JSONRPC
import Serving
import Testing
import ViewModelProtocol

/// The process of a client never sees its token.
struct InitializingMessageTests {
    private func message(_ text: String) -> (text: String, params: String?) {
        let message = Array(text.utf8).withUnsafeBytes {
            InitializingMessage($0, MessageDecoder(dialect: .viewModels))
        }
        return (
            String(decoding: message.text, as: UTF8.self),
            message.params.map { String(decoding: $0.bytes, as: UTF8.self) }
        )
    }

    @Test func `tokens are taken out in both places, and everything else stays`() {
        let before = #"{"token":"s3cret","trace":"off","initializationOptions":{"token":"\u0041","theme":"token"}}"#
        let after = #"{"token":""      ,"trace":"off","initializationOptions":{"token":""      ,"theme":"token"}}"#
        let start = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":"#
        let params = after.replacing(" ", with: "")
        #expect(message(start + before + "}") == (start + after + "}", params))
        let batch = "[\(start)[\(before)]},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]"
        #expect(message(batch) == (batch.replacing(before, with: after), params))
    }

    @Test func `the shortest token is as long as none`() {
        let start = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":"#
        #expect(message(start + #"{"token":""}}"#).params == #"{"token":""}"#)
        #expect(message(start + "null}") == (start + "null}", nil))
        #expect(message(#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#).params == nil)
    }
}
