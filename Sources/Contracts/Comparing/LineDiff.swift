/// The lines that differ between two texts, as `diff -u` shows them.
package enum LineDiff {
    /// Returns the lines that differ, marked with `-` and `+`; an empty text for equal ones.
    ///
    /// - Parameter context: the number of equal lines to show around those that differ.
    package static func text(old: String, new: String, context: Int = 3) -> String {
        let lines = marked(old.lines, new.lines)
        let changed = lines.indices.filter { lines[$0].mark != " " }
        var text = ""
        var shown = 0
        for index in changed where index >= shown {
            let start = max(shown, index - context)
            var end = index
            while let next = changed.first(where: { $0 >= end }), next <= end + 2 * context { end = next + 1 }
            end = min(end + context, lines.count)
            text += "@@ line \(lines[..<start].count { $0.mark != "-" } + 1) @@\n"
            for line in lines[start..<end] { text += "\(line.mark)\(line.text)\n" }
            shown = end
        }
        return text
    }

    private static func marked(_ old: [Substring], _ new: [Substring]) -> [(mark: Character, text: Substring)] {
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var lines: [(mark: Character, text: Substring)] = []
        var (oldIndex, newIndex) = (0, 0)
        while oldIndex < old.count || newIndex < new.count {
            if oldIndex < old.count, removed.contains(oldIndex) {
                lines.append(("-", old[oldIndex]))
                oldIndex += 1
            } else if newIndex < new.count, inserted.contains(newIndex) {
                lines.append(("+", new[newIndex]))
                newIndex += 1
            } else {
                if newIndex < new.count { lines.append((" ", new[newIndex])) }
                oldIndex += 1
                newIndex += 1
            }
        }
        return lines
    }
}

extension String {
    /// The lines of the text, without an empty one behind the last line end.
    fileprivate var lines: [Substring] {
        (last == "\n" ? dropLast() : self[...]).split(separator: "\n", omittingEmptySubsequences: false)
    }
}
