/// The lines that were typed, oldest first, and how far back the person is looking.
struct History {
    static let capacity = 1_000

    private(set) var lines: [String]
    /// Which line is shown; nil while the new one is.
    private var place: Int?
    /// The new line, while an old one is shown.
    private var draft = ""

    init(_ lines: [String] = []) {
        self.lines = lines.suffix(Self.capacity)
    }

    /// Returns whether it is worth keeping: not empty, and not the same once more.
    @discardableResult
    mutating func add(_ line: String) -> Bool {
        place = nil
        draft = ""
        guard !line.allSatisfy(\.isWhitespace), line != lines.last else { return false }
        lines.append(line)
        if lines.count > Self.capacity { lines.removeFirst() }
        return true
    }

    /// The line before the one that is shown; nil when there is none.
    ///
    /// - Parameter shown: what stands there now.
    mutating func previous(_ shown: String) -> String? {
        let next = (place ?? lines.count) - 1
        guard next >= 0 else { return nil }
        if place == nil { draft = shown }
        place = next
        return lines[next]
    }

    /// The line behind the one that is shown, the new one at last; nil when that is shown.
    mutating func next() -> String? {
        guard let place else { return nil }
        self.place = place + 1 < lines.count ? place + 1 : nil
        return self.place.map { lines[$0] } ?? draft
    }

    /// The newest line before `end` that holds `text`, and its place.
    func search(_ text: String, before end: Int? = nil) -> (place: Int, line: String)? {
        guard let place = lines[..<min(end ?? lines.count, lines.count)].lastIndex(where: { $0.contains(text) }) else {
            return nil
        }
        return (place, lines[place])
    }
}
