/// Tables in Markdown, and the marked regions of a page that they are put into.
package enum MarkdownTable {
    package static func text(_ head: [String], _ rows: [[String]]) -> String {
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { "| " + $0.map(cell).joined(separator: " | ") + " |\n" }.joined()
    }

    private static func cell(_ text: String) -> String {
        text.split(separator: "\n").joined(separator: " ").replacing("|", with: "\\|")
    }

    /// The error for a region of a page whose end isn't marked.
    package struct UnclosedRegion: Error, CustomStringConvertible {
        package let name: String
        package var description: String { "the region \(name) has no <!-- end generated -->" }
    }

    /// Returns the page with each region between `<!-- generated: NAME -->` and `<!-- end generated -->` replaced by the text
    /// for its name. Regions with other names stay as they are.
    package static func rewrite(_ page: String, regions: [String: String]) throws(UnclosedRegion) -> String {
        var text = ""
        var rest = page[...]
        while let start = rest.firstRange(of: "<!-- generated: ") {
            let mark = rest[start.upperBound...]
            guard let end = mark.firstRange(of: " -->") else { break }
            let name = String(mark[..<end.lowerBound])
            guard let close = mark.firstRange(of: "<!-- end generated -->") else { throw UnclosedRegion(name: name) }
            text += rest[..<end.upperBound]
            text += regions[name].map { "\n\($0)" } ?? rest[end.upperBound..<close.lowerBound]
            text += rest[close]
            rest = rest[close.upperBound...]
        }
        return text + rest
    }
}

extension Documentation {
    /// Returns the doc comment of a declaration, for a table; nil if it has none.
    ///
    /// - Parameter path: the module, and the names from the outermost type to the declaration.
    package func text(of path: [String]) -> String? { comment(path) }
}
