import JSON
import JSONRPC

/// Lends the value of a JSON text.
func withJSON<R>(_ text: String, _ body: (JSONValue) throws -> R) throws -> R {
    try Array(text.utf8).withUnsafeBytes { try body(JSONValue(validating: $0)) }
}

func requestID(_ text: String) throws -> RequestID? {
    try withJSON(text) { RequestID($0) }
}

/// What `write` writes.
func written(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.takeBytes(), as: UTF8.self)
}

extension JSONValue {
    var string: String { String(decoding: text, as: UTF8.self) }
}
