package import JSON

/// A string or an integer that ties an answer to its request, and comes back exactly as it was written.
///
/// Two ids are equal when they mean the same value: `"A"` and `"\u0041"` are one id, and so are `1` and `1.0`; `1` and
/// `"1"` are two. Integers have no bound.
///
/// The ids of nearly all clients are short integers, which are read, compared and written without memory of their own.
package struct RequestID: Sendable {
    /// The value of an integer of 64 bits; 0 for any other id.
    private let integer: Int64
    /// The text of an id that `integer` alone couldn't give back.
    private let written: Written?

    // Not private, as other modules would then copy an id by its metadata, on the way of each request.
    package final class Written: Sendable {
        enum Meaning: Hashable {
            case integer(Int64)
            case integerText
            case string(String)
        }

        /// The JSON text as the client wrote it.
        let text: String
        let meaning: Meaning

        init(_ text: String, _ meaning: Meaning) {
            self.text = text
            self.meaning = meaning
        }
    }

    /// An id for a request of this side.
    package init(_ integer: Int64) {
        self.integer = integer
        written = nil
    }

    /// The id in `json`; nil when it is neither a string nor an integer.
    package init?(_ json: JSONValue) {
        if let short = json.shortInteger {
            self.init(Int64(short))
        } else {
            self.init(general: json)
        }
    }

    private init?(general json: JSONValue) {
        let text = String(decoding: json.text, as: UTF8.self)
        switch json.kind {
        case .number:
            if let integer = json.integer(as: Int64.self) {
                // `-0`, `1.0` and `1e2`, as languages write integers that have no type for them.
                let isPlain = json.isIntegerText() && text != "-0"
                self.init(integer, isPlain ? nil : Written(text, .integer(integer)))
            } else if json.isIntegerText() {
                self.init(0, Written(text, .integerText))
            } else {
                return nil
            }
        case .string:
            guard let string = json.string() else { return nil }
            self.init(0, Written(text, .string(string)))
        default:
            return nil
        }
    }

    private init(_ integer: Int64, _ written: Written?) {
        self.integer = integer
        self.written = written
    }

    /// The approximate length of the id's text, in bytes.
    package var byteCount: Int { written?.text.utf8.count ?? 8 }

    package func write(to writer: inout JSONWriter) {
        guard let written else { return writer.integer(integer) }
        var text = written.text
        text.withUTF8 { writer.raw(UnsafeRawBufferPointer($0)) }
    }
}

extension RequestID: Hashable {
    package static func == (left: RequestID, right: RequestID) -> Bool {
        if left.written == nil, right.written == nil { return left.integer == right.integer }
        return isEqual(left, right)
    }

    private static func isEqual(_ left: RequestID, _ right: RequestID) -> Bool {
        switch (left.meaning, right.meaning) {
        case (.integer(let left), .integer(let right)): left == right
        case (.integerText, .integerText): left.written?.text == right.written?.text
        // Not `==`, for which a letter with an accent and a letter followed by an accent are one.
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }

    private var meaning: Written.Meaning { written?.meaning ?? .integer(integer) }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(meaning)
    }
}

extension RequestID: CustomStringConvertible {
    /// Its JSON text.
    package var description: String { written?.text ?? "\(integer)" }
}

extension RequestID: Codable, SchemaProviding {
    package init(from decoder: any Decoder) throws {
        guard let id = try JSONText(from: decoder).withValue({ RequestID($0) }) else {
            let expected = "expected a string or an integer"
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: expected))
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        try JSONText { write(to: &$0) }.encode(to: encoder)
    }

    package static var schema: String { #"{"type":["string","integer"]}"# }

    package static var example: RequestID { RequestID(1) }
}

extension JSONValue {
    /// A number of at most 18 digits and nothing else, as nearly all ids and sessions are written; nil for any other
    /// value, which may still be an integer.
    package var shortInteger: Int? {
        guard let first = text.first, 1...18 ~= text.count, first != UInt8(ascii: "0") || text.count == 1 else {
            return nil
        }
        var value = 0
        for byte in text {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ Int(digit)
        }
        return value
    }
}
