/// A table of a Markdown page, and the marked regions that such tables are put into.
package enum MarkdownTable {
    package static func text(_ head: [String], _ rows: [[String]]) -> String {
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { "| " + $0.map(cell).joined(separator: " | ") + " |\n" }.joined()
    }

    private static func cell(_ text: String) -> String {
        text.replacing("\n", with: " ").replacing("|", with: "\\|")
    }

    /// The page with each region between `<!-- generated: NAME -->` and `<!-- end -->` made anew. Names that `regions` hasn't
    /// stay as they are.
    package static func rewrite(_ page: String, regions: [String: String]) -> String {
        var text = ""
        var rest = page[...]
        while let start = rest.firstRange(of: "<!-- generated: ") {
            let mark = rest[start.upperBound...]
            guard let end = mark.firstRange(of: " -->"), let close = mark.firstRange(of: "<!-- end -->") else { break }
            text += rest[..<end.upperBound]
            if let region = regions[String(mark[..<end.lowerBound])] {
                text += "\n\n\(region)\n"
            } else {
                text += rest[end.upperBound..<close.lowerBound]
            }
            text += rest[close]
            rest = rest[close.upperBound...]
        }
        return text + rest
    }
}
