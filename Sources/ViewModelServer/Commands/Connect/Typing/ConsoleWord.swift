/// The client's own words, as they are typed first on a line. Whatever else comes first is an event's kind.
enum ConsoleWord: String, CaseIterable {
    case help, list, open, attach, sessions, use, describe, show, send, back, close, detach, quit, exit

    /// What may stand behind it, for people.
    var usage: String {
        switch self {
        case .help, .list, .sessions, .back, .close, .detach, .quit, .exit: rawValue
        case .open: "open NAME [member=value…]"
        case .attach: "attach KEY"
        case .use: "use NUMBER"
        case .describe: "describe [NAME|KIND]"
        case .show: "show [KIND]"
        case .send: "send KIND [member=value…]"
        }
    }

    var summary: String {
        switch self {
        case .help: "what can be typed"
        case .list: "the view models that can be opened"
        case .open: "opens one; its events are shown as they come"
        case .attach: "shows a session that runs already, and all that stands on it"
        case .sessions: "what is open here, with the keys for others to attach with"
        case .use: "goes to another one of these"
        case .describe: "what can be sent to a view model and what it sends; of one kind of event, its members"
        case .show: "the newest event of each kind, or of one kind, in full"
        case .send: "as without it, where a kind is also one of these words"
        case .back: "leaves what was pushed or presented"
        case .close: "ends the session that is on screen, for everyone"
        case .detach: "leaves it running for others"
        case .quit, .exit: "leaves (so does Ctrl-D)"
        }
    }

    /// Other words for the same, which completion doesn't offer.
    private static let others: [String: ConsoleWord] = ["?": .help, "ls": .list]

    /// Those that help and completion show: one for each thing.
    static var shown: [ConsoleWord] { allCases.filter { $0 != .exit } }

    init?(typed text: String) {
        guard let word = ConsoleWord(rawValue: text) ?? Self.others[text] else { return nil }
        self = word
    }

    static var helpText: String {
        let width = shown.map(\.usage.count).max() ?? 0
        let lines = shown.map { word in
            word.usage + String(repeating: " ", count: width - word.usage.count + 2) + word.summary
        }
        return """
            \(lines.joined(separator: "\n"))

            Anything else is an event for the view model on screen: its kind, then its members:
              increment by=2
              editNote value="two words"
              setRows rows=[{"id":1,"name":"One"}]
            What may be left out may be left out; a member's name, too, where members come in their order.
            Tab completes, Up and Down bring back lines that were typed, Ctrl-R searches them.
            Ctrl-C cancels what runs, or clears the line; twice on an empty one it leaves.
            """
    }
}
