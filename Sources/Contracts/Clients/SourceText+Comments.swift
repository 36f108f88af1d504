extension SourceText {
    /// The lines of a doc comment, those that are too long broken at blanks, without characters that no comment may hold.
    static func comment(_ description: String, width: Int) -> [String] {
        let plain = String(String.UnicodeScalarView(description.unicodeScalars.map { isPlain($0) ? $0 : " " }))
        let lines = plain.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.flatMap { line -> [String] in
            // Code in a doc comment stays as it is.
            line.count <= width || line.hasPrefix("    ") ? [String(line)] : broken(line, width)
        }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "\n" { return true }
        // With these, a comment looks like code, or code like a comment.
        if scalar.properties.isBidiControl { return false }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }

    private static func broken(_ line: Substring, _ width: Int) -> [String] {
        var lines: [String] = []
        for word in line.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.isEmpty ? [""] : lines
    }

    /// A line with a backslash before each character for which that is asked, given the one before it too.
    static func escaped(
        _ line: String, where isSpecial: (_ before: Unicode.Scalar?, _ scalar: Unicode.Scalar) -> Bool
    ) -> String {
        var escaped = String.UnicodeScalarView()
        var before: Unicode.Scalar?
        for scalar in line.unicodeScalars {
            if isSpecial(before, scalar) { escaped.append("\\") }
            escaped.append(scalar)
            before = scalar
        }
        return String(escaped)
    }
}
