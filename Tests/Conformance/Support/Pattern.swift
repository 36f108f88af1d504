/// Lines as a document shows them. A line "…" matches any number of lines, and "…" within a line any text.
struct Pattern {
    let lines: [String]

    func matches(_ actual: [String]) -> Bool {
        Self.matches(lines[...], actual[...])
    }

    private static func matches(_ lines: ArraySlice<String>, _ actual: ArraySlice<String>) -> Bool {
        guard let line = lines.first else { return actual.isEmpty }
        let rest = lines.dropFirst()
        if line == "…" {
            return (actual.startIndex...actual.endIndex).contains { matches(rest, actual[$0...]) }
        }
        guard let first = actual.first, matches(line, first) else { return false }
        return matches(rest, actual.dropFirst())
    }

    /// Whether a line is what `pattern` says.
    static func matches(_ pattern: String, _ line: String) -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return pattern == line }
        guard line.hasPrefix(first) else { return false }
        var rest = line.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
