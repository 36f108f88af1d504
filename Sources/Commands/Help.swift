import Manual

/// Prints an article of the documentation, or the list of them.
struct Help {
    static let command = Command(
        name: "help", summary: "prints an article: how to write view models and clients, and more",
        help: { help($0.name) }, run: { try Help($1, $0).run() })

    /// An article, with its name on the command line.
    struct Page {
        let name: String
        let summary: String
        let text: String

        /// All articles, in reading order.
        static var all: [Page] {
            (0..<manual_page_count()).map { index in
                let page = manual_page(index)
                let bytes = UnsafeBufferPointer(start: page.bytes, count: page.length)
                return Page(
                    name: String(cString: page.name), summary: String(cString: page.summary),
                    text: String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    private let topic: String?
    private let application: Application

    /// Reads the arguments.
    ///
    /// - Throws: `UsageError` for more than one topic, and for an option.
    init(_ arguments: [String], _ application: Application) throws(UsageError) {
        guard arguments.count <= 1 else { throw UsageError(message: "help takes one name, not '\(arguments[1])'") }
        topic = arguments.first
        self.application = application
    }

    /// Prints the article, the help of a command, or the list of topics; returns the exit status.
    ///
    /// - Throws: `UsageError` for a name that is neither an article's nor a command's.
    func run() throws(UsageError) -> Int32 {
        guard let topic else {
            print(Self.help(application.name))
            return 0
        }
        if let page = Page.all.first(where: { $0.name == topic }) {
            print(page.text, terminator: "")
        } else if let command = Command.named(topic) {
            print(command.help(application))
        } else {
            throw UsageError(message: "there is no page and no command '\(topic)'")
        }
        return 0
    }

    private static func help(_ executable: String) -> String {
        let pages = Page.all
        let width = pages.map(\.name.count).max() ?? 0
        let lines = pages.map { "  \($0.name)\(String(repeating: " ", count: width - $0.name.count + 2))\($0.summary)" }
        return """
            Prints an article of the documentation, in Markdown.

            Usage: \(executable) help PAGE
                   \(executable) help COMMAND

            Pages:
            \(lines.joined(separator: "\n"))

            Commands, each with a --help of its own:
            \(Command.list)

            '\(executable) --help' has the options of the server itself.

            Status: 0, or 64 for a name that is neither a page's nor a command's.
            """
    }
}
