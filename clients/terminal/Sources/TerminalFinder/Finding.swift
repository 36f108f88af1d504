import Contracts
package import TerminalClient
import Transcripts
import ViewModelClient

/// The command `find`: shows a picker to a person at a terminal, and prints the first results for a script.
@MainActor package final class Finding: AddedCommand.Run {
    /// The command, for an executable that includes the example `finder`.
    nonisolated package static let command = AddedCommand(
        name: "find", usage: "find [TEXT] [member=value…]", summary: "files; lines in them with mode=text or regex",
        form: { form($0[FinderSession.viewModel]?.arguments) }, make: { Finding($0) })

    private unowned let console: Console
    /// The session of the last command.
    private var session: FinderSession?
    /// Called when the finder has sent an event or rows.
    private var didTell: (() -> Void)?

    /// The maximum number of results for a script.
    private static let scriptCount = 100

    private init(_ console: Console) {
        self.console = console
    }

    /// Runs the command.
    ///
    /// - Parameter words: the text to begin with, members of the finder's arguments, and `mode`.
    package func run(_ words: [TypedWord]) async throws {
        let client = console.client
        guard client.server.viewModels.contains(FinderSession.viewModel) else {
            throw TypedLineError("this server has no \"\(FinderSession.viewModel)\", which finds files")
        }
        let (text, members) = Self.query(in: words)
        let (mode, rest) = try Self.mode(in: members)
        let arguments = try await arguments(in: rest)
        if session?.arguments != arguments {
            session?.close()
            session = FinderSession(arguments, client, console.inputs)
        }
        guard let session else { return }
        if let conversation = console.conversation {
            try await pick(in: session, text, mode, conversation)
        } else {
            try await list(session, text, mode)
        }
    }

    /// Splits the words into the text to find, which are those without a name, and members.
    nonisolated package static func query(in words: [TypedWord]) -> (text: String, members: [TypedWord]) {
        let text = words.filter { $0.name == nil }.map(\.plainText).joined(separator: " ")
        return (text, words.filter { $0.name != nil })
    }

    /// Shows a picker until the person has decided, and opens the chosen file.
    private func pick(
        in session: FinderSession, _ text: String, _ mode: FindMode, _ conversation: Conversation
    ) async throws {
        let text = text + conversation.takeTypedAhead()
        let picker = PickerRun(session, text: text, mode: mode, conversation.screen) { conversation.suspend() }
        if let file = try await conversation.show(picker, { try await picker.run() }) {
            try await conversation.open(file)
        }
    }

    private func arguments(in words: [TypedWord]) async throws -> [JSONTree.Member] {
        // Without members, a picker can open without waiting for the contract.
        guard !words.isEmpty else { return [] }
        let form = try await console.catalog.learnIfPossible(FinderSession.viewModel).arguments
        return try form.read(words, for: FinderSession.viewModel)
    }

    /// Returns the form of the members that can be typed.
    ///
    /// - Parameter arguments: the form of the finder's arguments; nil if unknown.
    nonisolated static func form(_ arguments: MembersForm?) -> MembersForm {
        let modes = JSONTree.object([.init("enum", .array(FindMode.allCases.map { .string($0.rawValue) }))])
        return MembersForm(members: (arguments?.members ?? []) + [.init(optional: "mode", schema: modes)])
    }

    private static func mode(in words: [TypedWord]) throws(TypedLineError) -> (FindMode, rest: [TypedWord]) {
        guard let word = words.first(where: { $0.name == "mode" }) else { return (.files, words) }
        let text = String(word.plainText.dropFirst("mode=".count))
        guard let mode = FindMode(rawValue: text) else {
            let all = FindMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw TypedLineError("mode must be one of \(all), not \(TerminalTextLine.of(text))")
        }
        return (mode, words.filter { $0 != word })
    }

    /// Prints the first results, once all files are scanned.
    private func list(_ session: FinderSession, _ query: String, _ mode: FindMode) async throws {
        session.receive = { [weak self] _ in self?.didTell?() }
        defer { session.receive = { _ in } }
        if !session.isOpen { try await session.open() }
        if mode != session.search.mode { try await session.send(.mode(value: mode)) }
        await didScan(session)
        try await session.send(.query(text: query))
        if let failure = session.facts.failure { throw TypedLineError(TerminalTextLine.of(failure)) }
        let rows = try await session.read(0..<Self.scriptCount)
        let text = console.text
        if text.showsJSON {
            for row in rows { text.show(json: row) }
        } else {
            text.output.show(rows.map(Self.line))
        }
    }

    /// Waits until the finder has scanned all files, or can't.
    private func didScan(_ session: FinderSession) async {
        let isOver = { session.facts.files?.isAll == true || session.facts.failure != nil || !session.isOpen }
        guard !isOver() else { return }
        await withCheckedContinuation { continuation in
            didTell = { [weak self] in
                guard isOver() else { return }
                self?.didTell = nil
                continuation.resume()
            }
        }
    }

    private static func line(_ row: JSONTree) -> String {
        let members = [row["path"]?.string, row["line"]?.number, row["text"]?.string].compactMap(\.self)
        return TerminalText.visible(members.joined(separator: ":"))
    }
}
