import JSON

/// A text as a literal in double quotes that JavaScript and Python read alike.
enum SourceLiteral {
    static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        let json = String(decoding: writer.takeBytes(), as: UTF8.self)
        return json.unicodeScalars.map(visible).joined()
    }

    /// What ends a line for JavaScript, and what nobody sees, is written by its number.
    private static func visible(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
            guard let unit = UInt16(exactly: scalar.value) else { return String(scalar) }
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default:
            return String(scalar)
        }
    }
}
