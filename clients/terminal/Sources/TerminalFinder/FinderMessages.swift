/// The mode of a finder's search.
package enum FindMode: String, Codable, CaseIterable, Sendable {
    /// Finds paths, by fzf's rules.
    case files
    /// Finds lines that contain a text.
    case text
    /// Finds lines that match a regular expression.
    case regex

    /// Returns the mode `step` places further on; the first mode follows the last.
    func moved(by step: Int) -> FindMode {
        let all = Self.allCases
        guard let place = all.firstIndex(of: self) else { return self }
        return all[(place + step % all.count + all.count) % all.count]
    }
}

/// A finder's query; a new finder has one that finds all files.
package struct FinderQuery: Equatable, Sendable {
    var text: String
    var mode: FindMode

    package init(text: String = "", mode: FindMode = .files) {
        self.text = text
        self.mode = mode
    }
}

/// A file that was found, or a line of one.
package struct FoundRow: Decodable, Identifiable, Equatable, Sendable {
    /// A range of UTF-8 bytes in `text`, or in `path` if there is no text.
    package struct Match: Decodable, Equatable, Sendable {
        let start: Int
        let end: Int

        package init(start: Int, end: Int) {
            self.start = start
            self.end = end
        }
    }

    package let id: String
    let path: String
    /// The number of the line, from 1; nil for a file.
    let line: Int?
    let text: String?
    let matches: [Match]

    package init(id: String, path: String, line: Int? = nil, text: String? = nil, matches: [Match] = []) {
        self.id = id
        self.path = path
        self.line = line
        self.text = text
        self.matches = matches
    }
}

/// A line of the file that a finder previews.
package struct PreviewLine: Decodable, Identifiable, Equatable, Sendable {
    /// The line's number, from 1.
    package let id: Int
    let text: String

    package init(id: Int, text: String) {
        self.id = id
        self.text = text
    }
}

/// An event of a finder, except those of its list.
package enum FinderEvent: Decodable, Equatable, Sendable {
    case query(text: String, mode: FindMode)
    case scanning(files: Int, directories: Int, isDone: Bool)
    case matches(count: Int, isComplete: Bool)
    case accepted(path: String, uri: String?, line: Int?)
    case failed(message: String?)
    case note(message: String?)
}

/// An event of a finder's preview, except those of its list.
enum FinderPreviewEvent: Decodable, Equatable, Sendable {
    case file(path: String, line: Int?)
    case note(message: String?)
}

/// A View's event for a finder.
package enum FinderViewEvent: Encodable, Equatable, Sendable {
    case query(text: String)
    case mode(value: FindMode)
    case preview(index: Int, id: String)
    case accept(index: Int, id: String)
    case refresh
}

/// A View's event for a finder's preview.
enum FinderPreviewViewEvent: Encodable, Equatable, Sendable {
    case close
}

/// The state of a finder from its events, without its list.
package struct FinderFacts: Equatable, Sendable {
    /// A number of files or matches, and whether it is final; otherwise more may follow.
    struct Count: Equatable, Sendable {
        let number: Int
        let isAll: Bool
    }

    /// The number of files that can be found.
    private(set) var files: Count?
    /// The number of matching files or lines. It is never final if there are more than the list holds.
    private(set) var matches: Count?
    /// The reason why nothing can be found.
    private(set) var failure: String?
    private(set) var note: String?

    package init() {}

    mutating func take(_ event: FinderEvent) {
        switch event {
        case .scanning(let files, _, let isDone): self.files = Count(number: files, isAll: isDone)
        case .matches(let count, let isComplete): matches = Count(number: count, isAll: isComplete)
        case .failed(let message): failure = message
        case .note(let message): note = message
        case .query, .accepted: break
        }
    }

    /// Whether more files or matches may come without anybody's doing.
    var isSearching: Bool { files?.isAll != true || matches?.isAll == false }
}

/// The file in a preview, as far as it is known.
package struct PreviewedFile: Sendable {
    var path: String
    /// The number of the line that was found, from 1.
    var line: Int?
    /// The reason why there are no lines.
    var note: String?

    package init(path: String = "", line: Int? = nil, note: String? = nil) {
        self.path = path
        self.line = line
        self.note = note
    }
}
