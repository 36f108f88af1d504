package import JSON

/// What ties an answer to its request: a string or an integer that comes back exactly as it was written.
///
/// Two ids are equal when they mean the same value: `"A"` and `"\u0041"` are one id, and so are `1` and `1.0`; `1` and `"1"`
/// are two.
/// Integers have no bound (JSON-RPC 2.0, section 4, sets none), so one beyond 64 bits is kept as its text.
package struct RequestID: Sendable {
    private enum Storage: Hashable, Sendable {
        case integer(Int64)
        case integerText(String)
        case string(String)
    }

    private let value: Storage
    /// The JSON text as the client wrote it, where `value` alone couldn't give it back.
    private let text: String?

    /// An id of the server's own making, or of a test's.
    package init(_ integer: Int64) {
        value = .integer(integer)
        text = nil
    }

    /// The id in `json`; nil when it is neither a string nor an integer.
    package init?(_ json: JSONValue) {
        switch json.kind {
        case .number:
            let written = String(decoding: json.text, as: UTF8.self)
            if let integer = json.integer(as: Int64.self) {
                value = .integer(integer)
                // `-0`, `1.0` and `1e2`, as languages write integers that have no type for them.
                text = json.isIntegerText() && written != "-0" ? nil : written
            } else if json.isIntegerText() {
                value = .integerText(written)
                text = written
            } else {
                return nil
            }
        case .string:
            guard let string = json.string() else { return nil }
            value = .string(string)
            text = String(decoding: json.text, as: UTF8.self)
        default:
            return nil
        }
    }

    /// The length of its text, about.
    package var byteCount: Int { text?.utf8.count ?? 8 }

    package func write(to writer: inout JSONWriter) {
        if case .integer(let integer) = value, text == nil {
            writer.integer(integer)
        } else {
            writer.raw(Array((text ?? "null").utf8))
        }
    }
}

extension RequestID: Hashable {
    package static func == (left: RequestID, right: RequestID) -> Bool {
        switch (left.value, right.value) {
        // Not `==`, for which a letter with an accent and a letter followed by an accent are one.
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (let left, let right): left == right
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }
}

extension RequestID: CustomStringConvertible {
    /// As it stands in JSON.
    package var description: String {
        switch value {
        case .integer(let integer): text ?? "\(integer)"
        case .integerText(let text): text
        case .string(let string): text ?? string
        }
    }
}
