import JSONRPC
import ViewModelProtocol

/// The coverage goals in groups, each with the number of goals that occur in transcripts, and the names of those that don't.
package struct CoverageReport: Sendable {
    package struct Group: Equatable, Sendable {
        package var title: String
        package var seen: Int
        /// The number of goals in the group; nil if unknown.
        package var total: Int?
        /// The names of the goals that occur in no transcript.
        package var unseen: [String] = []
        /// The reason why `total` isn't known.
        package var note: String?
    }

    package let groups: [Group]
    let transcripts: Int
    let messages: Int

    /// All goals that occur in no transcript, and the notes on unknown totals, each with its group: "methods: ping".
    package var gaps: [String] {
        groups.flatMap { group in
            let names = group.unseen + (group.note.map { [$0] } ?? [])
            return names.map { "\(group.title): \($0)" }
        }
    }
}

extension Coverage {
    package var report: CoverageReport {
        let codes = goals.errorCodes.map { (name: $0.title, isSeen: errorCodes.contains($0.rawValue)) }
        let groups = [
            group("methods", goals.methods, methods),
            group("notifications", goals.notifications, notifications),
            group("error codes", codes.map(\.name), Set(codes.filter(\.isSeen).map(\.name))),
        ]
        let kinds = goals.viewModels.flatMap { viewModel in
            let name = viewModel.name
            return [
                events("\(name): view events", viewModel.viewEvents, viewEvents[name] ?? []),
                events("\(name): view model events", viewModel.viewModelEvents, viewModelEvents[name] ?? []),
            ]
        }
        return CoverageReport(groups: groups + kinds, transcripts: transcripts, messages: messages)
    }

    private func group(_ title: String, _ names: [String], _ seen: Set<String>) -> CoverageReport.Group {
        let unseen = names.filter { !seen.contains($0) }
        return .init(title: title, seen: names.count - unseen.count, total: names.count, unseen: unseen)
    }

    private func events(_ title: String, _ kinds: [String]?, _ seen: Set<String>) -> CoverageReport.Group {
        guard let kinds else {
            let note = "not known: its type is no enum, or was compiled without the names of its cases"
            return .init(title: title, seen: seen.count, note: note)
        }
        let others = seen.subtracting(kinds).sorted()
        guard others.isEmpty else {
            let note = "not known: its enum has no case \(others.joined(separator: ", ")), which was seen"
            return .init(title: title, seen: seen.count, note: note)
        }
        return group(title, kinds, seen)
    }
}

extension CoverageReport: CustomStringConvertible {
    private static let width = 100

    /// The report as a table for people.
    package var description: String {
        let titles = groups.map(\.title.count).max() ?? 0
        let counts = groups.map { group in "\(group.seen) of \(group.total.map(String.init) ?? "?")" }
        let width = counts.map(\.count).max() ?? 0
        let rows = zip(groups, counts).flatMap { group, count in
            let start = "\(padded(group.title, to: titles))  \(padded(count, to: width))"
            return lines(beginning: start, gaps(in: group))
        }
        let files = transcripts == 1 ? "1 transcript" : "\(transcripts) transcripts"
        let title = "\(files), \(messages == 1 ? "1 message" : "\(messages) messages")"
        return ([title, ""] + rows).joined(separator: "\n")
    }

    private func gaps(in group: Group) -> [String] {
        if let note = group.note { return note.split(separator: " ").map(String.init) }
        guard let last = group.unseen.last else { return [] }
        return ["not seen:"] + group.unseen.dropLast().map { "\($0)," } + [last]
    }

    /// Joins words to lines of limited width. The first line begins with `start`, the others are indented as far.
    private func lines(beginning start: String, _ words: [String]) -> [String] {
        guard let first = words.first else { return [String(start.reversed().drop { $0 == " " }.reversed())] }
        var lines = ["\(start)  \(first)"]
        for word in words.dropFirst() {
            if (lines.last?.count ?? 0) + 1 + word.count <= Self.width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append("\(padded("", to: start.count))  \(word)")
            }
        }
        return lines
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

extension ErrorCode {
    /// The code with its name from the protocol's documentation: "-32700 ParseError".
    fileprivate var title: String {
        let name = ProtocolError.all.first { $0.code == self }?.name
        return "\(rawValue)\(name.map { " \($0)" } ?? "")"
    }
}
