import FoundationEssentials

/// What the README tells a new user, taken from its text.
struct Readme {
    /// A fenced block.
    struct Block {
        let language: String
        let text: String

        var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    let text: String
    let blocks: [Block]

    /// - Parameter path: in the checkout.
    init(_ path: String = "README.md") throws {
        text = try String(contentsOfFile: "\(Checkout.root)/\(path)", encoding: .utf8)
        var blocks: [Block] = []
        var open: (language: String, lines: [Substring])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let block = open, line == "```" {
                blocks.append(Block(language: block.language, text: block.lines.joined(separator: "\n") + "\n"))
                open = nil
            } else if open != nil {
                open?.lines.append(line)
            } else if line.hasPrefix("```") {
                open = (String(line.dropFirst(3)), [])
            }
        }
        self.blocks = blocks
    }

    /// The one block that contains `marker`.
    func block(with marker: String) -> Block? {
        let found = blocks.filter { $0.text.contains(marker) }
        return found.count == 1 ? found[0] : nil
    }
}
