/// A table of a Markdown page, and the marked regions that such tables are put into.
package enum MarkdownTable {
    package static func text(_ head: [String], _ rows: [[String]]) -> String {
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { "| " + $0.map(cell).joined(separator: " | ") + " |\n" }.joined()
    }

    private static func cell(_ text: String) -> String {
        text.split(separator: "\n").joined(separator: " ").replacing("|", with: "\\|")
    }

    /// A region of a page whose end isn't marked.
    package struct UnclosedRegion: Error, CustomStringConvertible {
        package let name: String
        package var description: String { "the region \(name) has no <!-- end generated -->" }
    }

    /// The page with each region between `<!-- generated: NAME -->` and `<!-- end generated -->` made anew. Regions
    /// that have other names stay as they are.
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
    /// The doc comment of a declaration, for a table.
    ///
    /// - Parameter path: a module, and names from the outermost type to the declaration.
    package func text(of path: [String]) -> String? { comment(path) }
}
