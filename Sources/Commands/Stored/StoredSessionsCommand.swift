import Hosting
import LibC
import Sessions
import Stores

/// Shows and changes the contents of a store, without a server.
struct StoredSessionsCommand {
    static let command = Command(
        name: "sessions", summary: "lists, shows, exports and removes the durable sessions of a store",
        help: { StoredOptions.help(name: $0.name) }, run: { try await Self($0, StoredOptions($1)).run() })

    private let application: Application
    private let source: StoreSource
    private let action: StoredOptions.Action

    init(_ application: Application, _ options: StoredOptions) throws {
        self.application = application
        guard let source = try options.store.source() else { throw UsageError(message: "name the store with --store") }
        self.source = source
        action = try options.action()
    }

    /// Performs the action.
    ///
    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        // SQLite would create a missing file.
        if case .sqlite(let path, _) = source, !TextFile.isFile(path) {
            throw UsageError(message: "there is no store \(path)")
        }
        var registry: Registry?
        // Without its own options, a server may be unable to register anything.
        if case .show = action { registry = try? await application.withRegistry { $0 } }
        do throws(StoreError) {
            return try perform(registry)
        } catch {
            StandardError.write("\(application.name): the store can't be used: \(error.reason)")
            return ExitStatus.unavailable
        }
    }

    /// Performs the action on the open store.
    ///
    /// - Parameter registry: the view models of this program; nil if unknown.
    private func perform(_ registry: Registry?) throws(StoreError) -> Int32 {
        let store = try source.read()
        defer { store.close() }
        let all = try store.summaries()
        switch action {
        case .list:
            print(StoredText.list(all))
            return 0
        case .show(let key):
            return try with(key, all, store) { scene, session in
                let hasCode = registry?.isDurable(session.header.viewModel) ?? true
                print(StoredText.text(of: session, in: scene, hasCode: hasCode))
                return 0
            }
        case .export(let key):
            return try with(key, all, store) { scene, session in
                if let missing = scene.missing ?? session.missing {
                    return fail("the store has lost \(missing): what is left isn't a whole transcript")
                }
                // The first view of such a session would start it, and the events sent then aren't stored.
                guard session.turn.isStarted else {
                    return fail(
                        "\(StoredText.short(session.header.key)) was never attached, so there is nothing to export")
                }
                let server = "\(application.name) \(application.version)"
                print(StoredTranscript(session, in: scene, server: server).text, terminator: "")
                return 0
            }
        case .remove(let key):
            guard let found = find(key, in: all) else { return 1 }
            guard found.isRoot else {
                let root = StoredText.short(found.scene)
                return fail("\(StoredText.short(found.key)) is shown on \(root), and goes with that alone")
            }
            store.close()
            return try remove(found)
        }
    }

    private func remove(_ session: StoredSummary) throws(StoreError) -> Int32 {
        let store = try source.open { StandardError.write("\(application.name): \($0)") }
        defer { store.close() }
        guard try store.remove(session.key) else {
            return fail("there is no session \(StoredText.short(session.key))")
        }
        print("removed \(session.key), \(StoredText.name(of: session))")
        return 0
    }

    private func with(
        _ key: String, _ all: [StoredSummary], _ store: any ListingStore, _ body: (StoredScene, StoredSession) -> Int32
    ) throws(StoreError) -> Int32 {
        guard let found = find(key, in: all) else { return 1 }
        guard let scene = try store.scene(withSessionKey: found.key),
            let session = scene.sessions.first(where: { $0.header.key == found.key })
        else { return fail("there is no session \(key)") }
        return body(scene, session)
    }

    /// Returns the only session whose key begins with `key`. If there isn't exactly one, prints that and returns nil.
    private func find(_ key: String, in all: [StoredSummary]) -> StoredSummary? {
        let found = all.filter { $0.key.hasPrefix(key) }
        guard found.count == 1 else {
            _ = fail(found.isEmpty ? "there is no session \(key)" : "\(found.count) keys begin with \(key)")
            return nil
        }
        return found[0]
    }

    private func fail(_ reason: String) -> Int32 {
        StandardError.write("\(application.name): \(reason)")
        return 1
    }
}
