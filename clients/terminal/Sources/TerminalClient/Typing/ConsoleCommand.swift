/// A command, as parsed from a typed line.
package enum ConsoleCommand: Equatable {
    case help
    case list
    case open(viewModel: String, arguments: [TypedWord])
    /// Opens again the view that ended last without the person's doing.
    case reopen
    case attach(key: String)
    case sessions
    /// Shows the key of the session on screen, or the one with which others can only look.
    case share(look: Bool)
    case use(Int)
    case describe(String?)
    case show(kind: String?)
    /// Shows the rows of a list with these indices, from 0; without a range, its next page.
    case rows(list: String, ClosedRange<Int>?)
    /// The command of an `AddedCommand`: its name, and the words behind it.
    case added(String, [TypedWord])
    /// Waits until an event of this kind, with these members, has come.
    case wait(kind: String, members: [TypedWord], timeout: Duration)
    case back, close, detach, quit
    case event(kind: String, members: [TypedWord])

    /// Parses a typed line. Returns nil for an empty line and a comment.
    ///
    /// - Parameter added: the names of added commands.
    /// - Throws: an error that tells the mistake and the right form.
    package static func reading(
        _ line: String, adding added: [String] = []
    ) throws(TypedLineError) -> ConsoleCommand? {
        guard !line.drop(while: \.isWhitespace).hasPrefix("#") else { return nil }
        let words = try TypedLine(line).words
        guard let first = words.first else { return nil }
        let rest = Array(words.dropFirst())
        if first.name == nil, case .bare(let text) = first.value {
            if let word = ConsoleWord(typed: text) { return try command(word, rest) }
            if added.contains(text) { return .added(text, rest) }
        }
        return .event(kind: try kind(first), members: rest)
    }

    private static func command(_ word: ConsoleWord, _ rest: [TypedWord]) throws(TypedLineError) -> ConsoleCommand {
        switch word {
        case .open: return .open(viewModel: try required(rest.first, word), arguments: Array(rest.dropFirst()))
        case .send:
            guard let first = rest.first else { throw usage(word) }
            return .event(kind: try kind(first), members: Array(rest.dropFirst()))
        case .wait: return try wait(rest)
        case .attach: return .attach(key: try required(try only(rest, word), word))
        case .share:
            let text = try only(rest, word)?.plainText
            guard text == nil || text == "look" else { throw usage(word) }
            return .share(look: text != nil)
        case .use:
            let text = try required(try only(rest, word), word)
            guard let number = Int(text) else {
                throw TypedLineError("use takes a number that 'sessions' shows, not \(text)")
            }
            return .use(number)
        case .describe: return .describe(try only(rest, word)?.plainText)
        case .show: return .show(kind: try only(rest, word)?.plainText)
        case .rows: return try rows(rest)
        case .help, .list, .reopen, .sessions, .back, .close, .detach, .quit, .exit:
            guard rest.isEmpty else { throw TypedLineError("\(word.rawValue) takes nothing behind it") }
            return plain(word)
        }
    }

    private static func wait(_ words: [TypedWord]) throws(TypedLineError) -> ConsoleCommand {
        let option = "--timeout"
        var words = words
        var timeout = Duration.seconds(60)
        if let index = words.firstIndex(where: { $0.text == option || $0.text.hasPrefix("\(option)=") }) {
            let isNext = words[index].text == option
            let text =
                isNext ? words.dropFirst(index + 1).first?.text : String(words[index].text.dropFirst(option.count + 1))
            guard let text, let seconds = Double(text), seconds > 0, seconds <= 1e9 else {
                throw TypedLineError("\(option) takes seconds, more than 0, not \(text ?? "nothing")")
            }
            timeout = .seconds(seconds)
            words.removeSubrange(index...index + (isNext ? 1 : 0))
        }
        guard let first = words.first else { throw usage(.wait) }
        return .wait(kind: try kind(first), members: Array(words.dropFirst()), timeout: timeout)
    }

    private static let maximumRows = 10_000

    private static func rows(_ words: [TypedWord]) throws(TypedLineError) -> ConsoleCommand {
        guard let list = words.first?.plainText, words.count <= 2 else { throw usage(.rows) }
        guard words.count == 2 else { return .rows(list: list, nil) }
        let ends = words[1].plainText.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = ends.compactMap { Int($0) }
        guard numbers.count == ends.count, let first = numbers.first, let last = numbers.last, first >= 0, last >= first
        else { throw TypedLineError("rows are numbers from 0, such as 7 or 100..120, not \(words[1].text)") }
        guard last - first < maximumRows else {
            throw TypedLineError("rows shows at most \(maximumRows) rows at a time")
        }
        return .rows(list: list, first...last)
    }

    private static func plain(_ word: ConsoleWord) -> ConsoleCommand {
        switch word {
        case .list: .list
        case .reopen: .reopen
        case .sessions: .sessions
        case .back: .back
        case .close: .close
        case .detach: .detach
        case .quit, .exit: .quit
        default: .help
        }
    }

    private static func kind(_ word: TypedWord) throws(TypedLineError) -> String {
        if word.name == nil {
            switch word.value {
            case .bare(let text), .quoted(let text): return text
            case .json: break
            }
        }
        throw TypedLineError("a line begins with a command or an event's kind, not \(word.text); try 'help'")
    }

    private static func only(_ words: [TypedWord], _ word: ConsoleWord) throws(TypedLineError) -> TypedWord? {
        guard words.count <= 1 else { throw usage(word) }
        return words.first
    }

    private static func required(_ typed: TypedWord?, _ word: ConsoleWord) throws(TypedLineError) -> String {
        guard let typed else { throw usage(word) }
        return typed.plainText
    }

    private static func usage(_ word: ConsoleWord) -> TypedLineError {
        TypedLineError("it is \(word.usage)")
    }
}
