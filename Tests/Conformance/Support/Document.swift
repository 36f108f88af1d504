import FoundationEssentials
import Testing

/// The README or an article: text whose fenced blocks are run, and not only read.
struct Document: CustomTestStringConvertible {
    /// A fenced block.
    struct Block {
        /// The word after the opening fence; empty where there is none.
        let language: String
        let text: String
        /// "Transcripts.md:12", the opening fence.
        let place: String

        var lines: [String] {
            text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    /// The file's name.
    let name: String
    let text: String
    let blocks: [Block]

    static let catalogue = "Sources/ViewModelServer/ViewModelServer.docc"

    static func readme() throws -> Document { try Document("README.md") }

    /// - Parameter name: as "Transcripts.md".
    static func article(_ name: String) throws -> Document { try Document("\(catalogue)/\(name)") }

    /// The README and all articles.
    static func all() throws -> [Document] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(Checkout.root)/\(catalogue)")
        return try [readme()] + names.filter { $0.hasSuffix(".md") }.sorted().map(article)
    }

    /// - Parameter path: in the checkout.
    init(_ path: String) throws {
        name = path.split(separator: "/").last.map(String.init) ?? path
        text = try String(contentsOfFile: "\(Checkout.root)/\(path)", encoding: .utf8)
        var blocks: [Block] = []
        var open: (language: String, place: String, lines: [Substring])?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let block = open, line == "```" {
                let text = block.lines.map { $0 + "\n" }.joined()
                blocks.append(Block(language: block.language, text: text, place: block.place))
                open = nil
            } else if open != nil {
                open?.lines.append(line)
            } else if line.hasPrefix("```") {
                open = (String(line.dropFirst(3)), "\(name):\(index + 1)", [])
            }
        }
        self.blocks = blocks
    }

    /// The one block that contains `marker`; nil where none does, or several.
    func block(with marker: String) -> Block? {
        let found = blocks.filter { $0.text.contains(marker) }
        return found.count == 1 ? found[0] : nil
    }

    var testDescription: String { name }
}
