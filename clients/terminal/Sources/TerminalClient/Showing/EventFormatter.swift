package import Contracts
import Transcripts

/// Formats an event for a person: in the form in which events are typed, with long values shortened.
package struct EventFormatter {
    /// Limits on how many rows of a list, and characters of a text, are shown.
    package struct Limits {
        fileprivate var rows: Int
        fileprivate let characters: Int

        package init(rows: Int = 10, characters: Int = 1_000) {
            self.rows = rows
            self.characters = characters
        }

        package static let none = Limits(rows: .max, characters: .max)
    }

    let columns: Int
    let style: Style
    private var limits: Limits
    /// The number of blanks before each line.
    private let indentation = 2

    package init(columns: Int, style: Style, limits: Limits = Limits()) {
        self.columns = columns
        self.style = style
        self.limits = limits
    }

    /// Returns the lines of an event.
    ///
    /// - Parameter event: an object with a `kind`; any other value is shown as it is.
    package func lines(_ event: JSONTree) -> [String] {
        guard let kind = event["kind"]?.string, let members = event.members else {
            return lines(Name(), event, indentation)
        }
        let rest = members.filter { $0.name != "kind" }
        let name = Name(text: TerminalText.visible(kind), style: style.cyan)
        guard !rest.isEmpty else { return [String(repeating: " ", count: indentation) + name.styled] }
        return lines(name, rest.count == 1 && rest[0].name == "value" ? rest[0].value : .object(rest), indentation)
    }

    /// Returns all rows of a list, each with its index.
    func lines(ofRows rows: [JSONTree], from first: Int) -> [String] {
        var formatter = self
        formatter.limits.rows = .max
        return formatter.rows(rows, indentation, from: first)
    }

    /// The text before a value, such as a member's name.
    private struct Name {
        var text = ""
        var style: (String) -> String = { $0 }

        var styled: String { style(text) }
        var columns: Int { DisplayWidth.of(text) }
    }

    /// Returns a name and a value, on one line if they fit.
    private func lines(_ name: Name, _ value: JSONTree, _ indentation: Int) -> [String] {
        let start = String(repeating: " ", count: indentation) + name.styled
        let lead = start + (name.text.isEmpty ? "" : " ")
        let room = columns - indentation - name.columns - 1
        switch value {
        case .object(let members):
            if members.isEmpty { return [lead + "{}"] }
            if let text = inline(members, room: room) { return [lead + text] }
            return (name.text.isEmpty ? [] : [start])
                + members.flatMap { lines(Name(text: TerminalText.visible($0.name)), $0.value, indentation + 2) }
        case .array(let elements):
            let isPlain = !elements.contains { $0.members != nil }
            if isPlain, let text = inline(value, room: room) { return [lead + text] }
            return [lead + style.dim(count(elements))] + rows(elements, indentation + 2)
        default: return [lead + scalar(value)]
        }
    }

    /// Returns a line for each element, with the index by which it is chosen.
    private func rows(_ elements: [JSONTree], _ indentation: Int, from first: Int = 0) -> [String] {
        let shown = elements.prefix(limits.rows)
        let width = String(max(0, first + shown.count - 1)).count
        var lines = shown.enumerated().flatMap { index, element in
            let number = String(first + index)
            let name = Name(text: String(repeating: " ", count: width - number.count) + number, style: style.dim)
            return self.lines(name, element, indentation)
        }
        if elements.count > shown.count {
            let more = "… \(elements.count - shown.count) more"
            lines.append(String(repeating: " ", count: indentation) + style.dim(more))
        }
        return lines
    }

    private func count(_ elements: [JSONTree]) -> String {
        switch elements.count {
        case 0: "[]"
        case 1: "1 item"
        default: "\(elements.count) items"
        }
    }

    /// Returns members on one line; nil if they don't fit. Stops as soon as that is clear.
    private func inline(_ members: [JSONTree.Member], room: Int) -> String? {
        var parts: [String] = []
        var room = room
        for member in members {
            guard let text = inline(member.value, room: room) else { return nil }
            parts.append("\(TerminalText.visible(member.name))=\(text)")
            room -= DisplayWidth.of(parts[parts.count - 1]) + 1
            guard room >= -1 else { return nil }
        }
        return parts.joined(separator: " ")
    }

    private func inline(_ value: JSONTree, room: Int) -> String? {
        switch value {
        case .array(let elements):
            guard elements.count <= min(limits.rows, max(room, 0)) else { return nil }
            var parts: [String] = []
            for element in elements {
                guard let text = inline(element, room: room) else { return nil }
                parts.append(text)
            }
            return fitting("[" + parts.joined(separator: ", ") + "]", room)
        case .object(let members):
            guard let text = inline(members, room: room - 2) else { return nil }
            return fitting("{" + text + "}", room)
        case .string(let text):
            // Don't measure a text that is surely too long.
            guard text.utf8.count <= max(0, room) * 4 else { return nil }
            return fitting(scalar(value), room)
        default: return scalar(value)
        }
    }

    private func fitting(_ text: String, _ room: Int) -> String? {
        DisplayWidth.of(text) <= room ? text : nil
    }

    private func scalar(_ value: JSONTree) -> String {
        guard case .string(let text) = value, limits.characters < .max,
            let end = text.index(text.startIndex, offsetBy: limits.characters, limitedBy: text.endIndex),
            end < text.endIndex
        else { return TerminalText.visible(value.line) }
        return TerminalText.visible(JSONTree.string(String(text[..<end])).line)
            + style.dim("… \(text.count - limits.characters) more characters")
    }
}
