/// The lines that were typed, oldest first, and which of them is shown.
package struct History {
    package static let capacity = 1_000

    package private(set) var lines: [String]
    /// The index of the line that is shown; nil for the new line.
    private var place: Int?
    /// The text of the new line, while an older line is shown.
    private var draft = ""

    package init(_ lines: [String] = []) {
        self.lines = lines.suffix(Self.capacity)
    }

    /// Adds a line, unless it is blank or the same as the last one. Returns whether it was added.
    @discardableResult
    package mutating func add(_ line: String) -> Bool {
        place = nil
        draft = ""
        guard !line.allSatisfy(\.isWhitespace), line != lines.last else { return false }
        lines.append(line)
        if lines.count > Self.capacity { lines.removeFirst() }
        return true
    }

    /// Goes to the line before the one that is shown; nil if there is none.
    ///
    /// - Parameter shown: the text that is shown now, which is kept if it is the new line.
    package mutating func previous(_ shown: String) -> String? {
        let next = (place ?? lines.count) - 1
        guard next >= 0 else { return nil }
        if place == nil { draft = shown }
        place = next
        return lines[next]
    }

    /// Goes to the line after the one that is shown, at last to the new line; nil if that is already shown.
    package mutating func next() -> String? {
        guard let place else { return nil }
        self.place = place + 1 < lines.count ? place + 1 : nil
        return self.place.map { lines[$0] } ?? draft
    }

    /// Returns the newest line before the index `end` that contains `text`; nil if there is none.
    func search(_ text: String, before end: Int? = nil) -> (place: Int, line: String)? {
        guard let place = lines[..<min(end ?? lines.count, lines.count)].lastIndex(where: { $0.contains(text) }) else {
            return nil
        }
        return (place, lines[place])
    }
}
