/// The names of commands, typed first on a line. Any other word there is an event's kind, unless it is an `AddedCommand`'s.
package enum ConsoleWord: String, CaseIterable {
    case help, list, open, reopen, attach, sessions, share, use, describe, show, rows, send, wait, back, close, detach,
        quit,
        exit

    /// The name and the arguments, for a help text.
    package var usage: String {
        switch self {
        case .help, .list, .reopen, .sessions, .back, .close, .detach, .quit, .exit: rawValue
        case .open: "open NAME [member=value…]"
        case .attach: "attach KEY"
        case .share: "share [look]"
        case .use: "use NUMBER"
        case .describe: "describe [NAME|KIND]"
        case .show: "show [KIND]"
        case .rows: "rows LIST [FIRST[..LAST]]"
        case .send: "send KIND [member=value…]"
        case .wait: "wait KIND [member=value…]"
        }
    }

    var summary: String {
        switch self {
        case .help: "what can be typed"
        case .list: "the view models that can be opened"
        case .open: "opens one, and shows its events as they come"
        case .reopen: "opens again what has ended by itself"
        case .attach: "shows a session that runs already"
        case .sessions: "what is open here, and kept for you, with keys"
        case .share: "the key of this one for others, or one to look"
        case .use: "goes to another one of these"
        case .describe: "what a view model takes and sends, or one kind"
        case .show: "the newest event of each kind; of one, in full"
        case .rows: "rows of a list; without numbers, the next 20"
        case .send: "an event whose kind is one of these words, too"
        case .wait: "until such an event comes; --timeout SECONDS (60)"
        case .back: "leaves what was pushed or presented"
        case .close: "ends the session on screen, for everyone"
        case .detach: "leaves it running for others"
        case .quit, .exit: "leaves (so does Ctrl-D)"
        }
    }

    /// Other names for commands, which completion doesn't offer.
    private static let others: [String: ConsoleWord] = ["?": .help, "ls": .list]

    /// The names that help and completion show: one for each command.
    package static var shown: [ConsoleWord] { allCases.filter { $0 != .exit } }

    init?(typed text: String) {
        guard let word = ConsoleWord(rawValue: text) ?? Self.others[text] else { return nil }
        self = word
    }

    /// Returns all commands in the order of the help: first those that send nothing and change nothing on the server, then the
    /// added ones, then the others.
    static func all<Word>(_ word: (ConsoleWord) -> Word, adding added: [Word]) -> [Word] {
        let place = shown.firstIndex(of: .send) ?? shown.endIndex
        return shown[..<place].map(word) + added + shown[place...].map(word)
    }

    /// Returns the help text. Indented by two, it fits into 80 columns.
    package static func helpText(adding added: [AddedCommand] = []) -> String {
        let words = all({ ($0.usage, $0.summary) }, adding: added.map { ($0.usage, $0.summary) })
        let width = words.map(\.0.count).max() ?? 0
        let lines = words.map { usage, summary in
            usage + String(repeating: " ", count: width - usage.count + 2) + summary
        }
        return """
            \(lines.joined(separator: "\n"))

            Anything else is an event for the view model on screen:
              increment by=2
              editNote value="two words"
              setRows rows=[{"id":1,"name":"One"}]
            Optional members may be left out, and names where members come in order.
            Tab completes; Up, Down and Ctrl-R bring back lines that were typed.
            Ctrl-C cancels what runs or clears the line; twice on an empty one, it leaves.
            """
    }
}
