/// The lines that were typed, oldest first, and the one that is shown.
package struct History {
    package static let capacity = 1_000

    package private(set) var lines: [String]
    /// The index of the shown line; nil for the new line.
    private var place: Int?
    /// The new line, while an old one is shown.
    private var draft = ""

    package init(_ lines: [String] = []) {
        self.lines = lines.suffix(Self.capacity)
    }

    /// Returns whether the line is kept: it isn't empty, and not the last one again.
    @discardableResult
    package mutating func add(_ line: String) -> Bool {
        place = nil
        draft = ""
        guard !line.allSatisfy(\.isWhitespace), line != lines.last else { return false }
        lines.append(line)
        if lines.count > Self.capacity { lines.removeFirst() }
        return true
    }

    /// Goes to the line before the shown one. Nil when there is none.
    ///
    /// - Parameter shown: the text that is shown now.
    package mutating func previous(_ shown: String) -> String? {
        let next = (place ?? lines.count) - 1
        guard next >= 0 else { return nil }
        if place == nil { draft = shown }
        place = next
        return lines[next]
    }

    /// Goes to the line behind the shown one, at last to the new line. Nil when that is shown.
    package mutating func next() -> String? {
        guard let place else { return nil }
        self.place = place + 1 < lines.count ? place + 1 : nil
        return self.place.map { lines[$0] } ?? draft
    }

    /// The newest line before the index `end` that contains `text`.
    func search(_ text: String, before end: Int? = nil) -> (place: Int, line: String)? {
        guard let place = lines[..<min(end ?? lines.count, lines.count)].lastIndex(where: { $0.contains(text) }) else {
            return nil
        }
        return (place, lines[place])
    }
}
