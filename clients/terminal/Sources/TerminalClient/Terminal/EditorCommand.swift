/// The command of the person's editor: `$VISUAL`, or else `$EDITOR`, with arguments separated by blanks, as git takes it.
package struct EditorCommand: Equatable {
    package let words: [String]

    /// Reads the command; nil if neither variable names an editor.
    package init?(environment: (String) -> String?) {
        let values = ["VISUAL", "EDITOR"].compactMap { environment($0)?.split(separator: " ").map(String.init) }
        guard let words = values.first(where: { !$0.isEmpty }) else { return nil }
        self.words = words
    }

    /// Returns the words of the command before the file's path, with the line in the form that most editors take.
    package func words(for file: ChosenFile) -> [String] {
        words + (file.line.map { ["+\($0)"] } ?? [])
    }
}

/// A file that was chosen, and a line in it, if any.
package struct ChosenFile: Equatable, Sendable {
    /// The path for people.
    package let path: String
    /// The bytes of the path, which may not be UTF-8.
    package let pathBytes: [UInt8]
    package let line: Int?

    /// Makes a chosen file.
    ///
    /// - Parameter uri: a URI with the exact path, if its scheme is `file`; otherwise `path` is taken.
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
