import Contracts
import Transcripts
import ViewModelClient

/// The command `find`: a picker for somebody at a terminal, the first results for a script.
@MainActor final class Finding {
    /// Shows a picker until the person has decided, and opens the file.
    typealias Pick = @MainActor (FinderSession, _ text: String, FindMode) async throws -> Void

    /// Nil for a script.
    var pick: Pick?
    private let client: Client
    private let inputs: ConsoleInputs
    private let text: ConsoleText
    private let catalog: ViewModelCatalog
    /// The one of the last command.
    private var session: FinderSession?
    /// Called when the finder has told something.
    private var didTell: (() -> Void)?

    /// A script gets so many results at most.
    private static let scriptCount = 100

    init(_ client: Client, _ inputs: ConsoleInputs, _ text: ConsoleText, _ catalog: ViewModelCatalog) {
        self.client = client
        self.inputs = inputs
        self.text = text
        self.catalog = catalog
    }

    /// - Parameters:
    ///   - query: to begin with.
    ///   - words: members of the finder's arguments, and `mode`.
    func run(_ query: String, _ words: [TypedWord]) async throws {
        guard client.server.viewModels.contains(FinderSession.viewModel) else {
            throw TypedLineError("this server has no \"\(FinderSession.viewModel)\", which finds files")
        }
        let (mode, rest) = try Self.mode(in: words)
        let arguments = try await arguments(in: rest)
        if session?.arguments != arguments {
            session?.close()
            session = FinderSession(arguments, client, inputs)
        }
        guard let session else { return }
        if let pick { try await pick(session, query, mode) } else { try await list(session, query, mode) }
    }

    private func arguments(in words: [TypedWord]) async throws -> [JSONTree.Member] {
        // A picker opens at once where it can.
        guard !words.isEmpty else { return [] }
        let form = try await catalog.learnIfPossible(FinderSession.viewModel).arguments
        return try form.read(words, for: FinderSession.viewModel)
    }

    /// The members that can be typed.
    ///
    /// - Parameter arguments: of the finder, where they are known.
    nonisolated static func form(_ arguments: MembersForm?) -> MembersForm {
        let modes = JSONTree.object([.init("enum", .array(FindMode.allCases.map { .string($0.rawValue) }))])
        let mode = MembersForm.Member(
            name: "mode", value: ValueSchema(schema: modes, document: .null), isRequired: false)
        return MembersForm(members: (arguments?.members ?? []) + [mode])
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

    /// Shows the first results once all files are known.
    private func list(_ session: FinderSession, _ query: String, _ mode: FindMode) async throws {
        session.receive = { [weak self] _ in self?.didTell?() }
        defer { session.receive = { _ in } }
        if !session.isOpen { try await session.open() }
        if mode != session.search.mode { try await session.send(.mode(value: mode)) }
        await didScan(session)
        try await session.send(.query(text: query))
        if let failure = session.facts.failure { throw TypedLineError(TerminalTextLine.of(failure)) }
        let rows = try await session.read(0..<Self.scriptCount)
        if text.showsJSON {
            for row in rows { text.show(json: row) }
        } else {
            text.output.show(rows.map(Self.line))
        }
    }

    /// Returns when no more files are found by themselves, or none can be.
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
