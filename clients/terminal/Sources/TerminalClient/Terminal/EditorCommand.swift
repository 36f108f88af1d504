/// The editor that the person has chosen, as git knows it: `$VISUAL`, else `$EDITOR`, with arguments behind blanks.
package struct EditorCommand: Equatable {
    package let words: [String]

    /// Nil where neither names one.
    package init?(environment: (String) -> String?) {
        let values = ["VISUAL", "EDITOR"].compactMap { environment($0)?.split(separator: " ").map(String.init) }
        guard let words = values.first(where: { !$0.isEmpty }) else { return nil }
        self.words = words
    }

    /// The words before the path of a file that is opened: its line in the form that most editors take.
    package func words(for file: ChosenFile) -> [String] {
        words + (file.line.map { ["+\($0)"] } ?? [])
    }
}

/// A file that was chosen, at a line where there is one.
package struct ChosenFile: Equatable, Sendable {
    /// For people.
    package let path: String
    /// Which need not be UTF-8.
    package let pathBytes: [UInt8]
    package let line: Int?

    /// - Parameter uri: of the scheme `file`; where it is another, the path is taken as it is.
    package init(path: String, uri: String? = nil, line: Int? = nil) {
        self.path = path
        self.line = line
        pathBytes = uri.flatMap(Self.pathBytes) ?? Array(path.utf8)
    }

    private static func pathBytes(in uri: String) -> [UInt8]? {
        let scheme = "file://"
        guard uri.hasPrefix("\(scheme)/") else { return nil }
        var (bytes, rest) = ([UInt8](), uri.utf8.dropFirst(scheme.utf8.count))
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let text = String(rest.prefix(2)), let value = UInt8(text, radix: 16), value > 0
            else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
