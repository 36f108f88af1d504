extension JSONValue {
    package enum Kind: Hashable, Sendable {
        case object, array, string, number, boolean, null

        /// The first byte of a JSON value tells its kind.
        init?(firstByte: UInt8) {
            switch firstByte {
            case ASCII.openBrace: self = .object
            case ASCII.openBracket: self = .array
            case ASCII.quote: self = .string
            case ASCII.minus, ASCII.zero...ASCII.nine: self = .number
            case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean
            case UInt8(ascii: "n"): self = .null
            default: return nil
            }
        }
    }
}

/// As a sentence names it: "expected an integer but found a string".
extension JSONValue.Kind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .boolean: "a boolean"
        case .null: "null"
        }
    }
}
