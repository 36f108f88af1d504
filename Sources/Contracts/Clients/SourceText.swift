/// Source code of a client's language, line by line.
struct SourceText {
    private let unit: String
    private var depth = 0
    private var lines: [String] = []

    /// - Parameter unit: what one step of indentation is.
    init(indentation unit: String) {
        self.unit = unit
    }

    /// With an end to each line, the last one too.
    var text: String { lines.map { $0 + "\n" }.joined() }

    /// How many characters a line has left before it's too long for people.
    var room: Int { Self.width - depth * unit.count }

    mutating func line(_ text: String = "") {
        lines.append(text.isEmpty ? "" : String(repeating: unit, count: depth) + text)
    }

    /// An empty line, but not where a block begins.
    mutating func gap() {
        if let last = lines.last, !last.hasSuffix(":"), !last.hasSuffix("{") { line() }
    }

    /// Lines of another text; empty ones stay empty.
    mutating func lines(_ texts: some Sequence<some StringProtocol>) {
        for text in texts { line(String(text)) }
    }

    mutating func indented(_ body: (inout SourceText) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    private static let width = 110
}
