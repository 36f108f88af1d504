import JSON

extension PlayerFailure {
    /// The width of a column, in characters, below which the messages are shown above each other.
    private static let minimumColumn = 30
    /// The number of lines that are shown of a long message, and the number of them before the first difference.
    private static let shownLines = 20
    private static let shownBefore = 7

    /// Returns a report for a terminal: the reason and its place, the expected message beside the received one, and the lines
    /// around.
    ///
    /// Control characters in the messages are escaped.
    package func report(width: Int) -> String {
        let width = max(width, 20)
        var lines = ["\(path):\(line): \(reason)"].map(TerminalText.visible)
        if let difference { lines.append(TerminalText.visible("  at \(difference)")) }
        let message = message(width: width)
        if !message.isEmpty { lines += [""] + message }
        if !around.isEmpty { lines += [""] + surroundings(width: width) }
        return lines.joined(separator: "\n")
    }

    private func message(width: Int) -> [String] {
        guard expected != nil || actual != nil else { return [] }
        let (lines, cutBefore, cutAfter) = excerpt(
            ComparedLines(
                expected: expected, actual: actual, hasNewKeys: difference?.description.hasSuffix("/key") != true
            ).lines)
        let column = (width - 5) / 2
        let shown: [String]
        if expected == nil || actual == nil {
            shown =
                [expected == nil ? "  came:" : "  expected:"]
                + lines.map { "  " + TerminalText.cut($0.expected ?? $0.actual ?? "", to: width - 2) }
        } else if column >= Self.minimumColumn {
            shown = sideBySide(lines, column: column)
        } else {
            shown = aboveEachOther(lines, width: width)
        }
        return shown.prefix(1) + cut(cutBefore) + shown.dropFirst() + cut(cutAfter)
    }

    private func cut(_ count: Int) -> [String] {
        count == 0 ? [] : ["  … \(count) \(count == 1 ? "line" : "lines")"]
    }

    /// Returns the lines around the first difference, and the numbers of lines left out before and after them.
    private func excerpt(_ lines: [ComparedLine]) -> (lines: [ComparedLine], before: Int, after: Int) {
        let visible = { (text: String?) in text.map(TerminalText.visible) }
        // Up to one line too many is shown: the note that a line is left out would take as much room.
        guard lines.count > Self.shownLines + 1 else {
            return (
                lines.map {
                    ComparedLine(expected: visible($0.expected), actual: visible($0.actual), differs: $0.differs)
                }, 0, 0
            )
        }
        let first = expected == nil || actual == nil ? 0 : lines.firstIndex { $0.differs } ?? 0
        let start = max(0, min(first - Self.shownBefore, lines.count - Self.shownLines))
        let shown = lines[start..<min(lines.count, start + Self.shownLines)]
        return (
            shown.map { ComparedLine(expected: visible($0.expected), actual: visible($0.actual), differs: $0.differs) },
            start, lines.count - start - shown.count
        )
    }

    private func sideBySide(_ lines: [ComparedLine], column: Int) -> [String] {
        let head = "  " + TerminalText.padded("expected", to: column) + " │ came"
        return [head]
            + lines.map { line in
                let start = start(of: line, width: column)
                let left = TerminalText.cut(line.expected ?? "", to: column, from: start)
                let right = TerminalText.cut(line.actual ?? "", to: column, from: start)
                let row = (line.differs ? "≠ " : "  ") + TerminalText.padded(left, to: column) + " │ " + right
                return right.isEmpty ? String(row.dropLast()) : row
            }
    }

    private func aboveEachOther(_ lines: [ComparedLine], width: Int) -> [String] {
        var shown = [TerminalText.cut("  - expected, + came:", to: width)]
        for line in lines {
            let start = start(of: line, width: width - 2)
            let texts = [(line.expected, "- "), (line.actual, "+ ")].compactMap { text, mark in text.map { ($0, mark) }
            }
            for (text, mark) in line.differs ? texts[...] : texts.prefix(1) {
                shown.append((line.differs ? mark : "  ") + TerminalText.cut(text, to: width - 2, from: start))
            }
        }
        return shown
    }

    /// Returns the index of the character at which a long line begins to be shown, so that the difference is visible; nil for
    /// the first.
    private func start(of line: ComparedLine, width: Int) -> Int? {
        guard line.differs, let expected = line.expected, let actual = line.actual else { return nil }
        let common = zip(expected, actual).prefix { $0 == $1 }.count
        return common > width * 3 / 4 ? common - width / 3 : nil
    }

    private func surroundings(width: Int) -> [String] {
        let digits = around.map { "\($0.number)".count }.max() ?? 1
        return around.map { line in
            let mark = line.number == self.line ? "> " : "  "
            let number = "\(line.number)"
            let head = mark + String(repeating: " ", count: digits - number.count) + number + " │ "
            let room = width - head.count
            return head + TerminalText.cut(Self.shortened(TerminalText.visible(line.text), to: room), to: room)
        }
    }

    /// Returns a line's text. If it is too long, the connection and the time are left out.
    private static func shortened(_ text: String, to width: Int) -> String {
        let head = /^(\{"from":"(?:client|server)",).{0,60}?"(?:message|text|unframed)":/
        guard text.count > width, let match = text.prefixMatch(of: head) else { return text }
        return match.1 + "…" + text[match.range.upperBound...]
    }
}
