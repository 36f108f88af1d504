import Hosting
import Sessions
import Stores
import TestSupport
import Testing
import ViewModels

@testable import Commands

/// What `sessions` prints of a store.
@Suite(.inTurn) struct StoredTests {
    private static let used: Int64 = 1_795_375_447

    /// A store with a root, a session on it, and another root that was used later.
    private func store(_ folder: ScratchFolder) throws -> String {
        let path = folder.file("x.db")
        let store = try SQLiteStore(path: path, durability: .process)
        let changes: [StoredChange] = [
            .addScene(.init(key: "root-key-0001", owner: "unix", once: nil, used: Self.used)),
            .addSession(
                .init(
                    key: "root-key-0001", scene: "root-key-0001", viewModel: "orders",
                    arguments: Array(#"{"a":1}"#.utf8))),
            .addSession(
                .init(
                    key: "child-key-001", scene: "root-key-0001", viewModel: "details", arguments: nil, shownBy: .push)),
            .addScene(.init(key: "late-key-0001", owner: "unix", once: nil, used: Self.used + 60)),
            .addSession(.init(key: "late-key-0001", scene: "late-key-0001", viewModel: "counter", arguments: nil)),
        ]
        #expect(try store.commit([SceneCommit(scene: "root-key-0001", changes: changes)]) == [.stored])
        var turn = StoredTurn(
            session: "root-key-0001", newest: 4, lost: 0, hasAllEvents: true, isStarted: true, savedVersion: 2)
        turn.entries = [
            StoredEntry(number: 1, key: nil, content: .event(Array(#"{"kind":"a"}"#.utf8))),
            StoredEntry(number: 3, key: "k", content: .event(Array(#"{"kind":"k"}"#.utf8))),
            StoredEntry(
                number: 4, key: nil,
                content: .navigation(
                    NavigationChange(.push, NavigationChild(key: "child-key-001", viewModel: "details")))),
        ]
        turn.saved = [SavedValue(name: "count", text: Array("42".utf8))]
        turn.clients = [ClientNumber(client: "page", number: 7)]
        let shared = [
            SavedValue(name: "Basket/ids", text: Array("[1]".utf8)), SavedValue(name: "Shop.Basket.ids", text: []),
        ]
        let turns: [StoredChange] = [.turn(turn), .share(scene: "root-key-0001", values: shared)]
        #expect(try store.commit([SceneCommit(scene: "root-key-0001", changes: turns)]) == [.stored])
        store.close()
        return path
    }

    @Test func `the list has the newest scene first, and what is shown on a session below it`() throws {
        let folder = try ScratchFolder()
        let reader = try SQLiteStore(reading: try store(folder))
        defer { reader.close() }
        let lines = StoredText.list(try reader.summaries()).split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "KEY          VIEW MODEL  EVENTS  LAST USED            SIZE",
                "late-key…    counter     0       2026-11-22 19:25:07  0 B",
                "root-key…    orders      4       2026-11-22 19:24:07  40 B",
                "  child-ke…  details     0       2026-11-22 19:24:07  0 B",
            ])
        #expect(StoredText.list([]) == "no sessions")
    }

    @Test func `the list says which server has a scene, where one does`() {
        func session(_ key: String, _ holder: String?) -> StoredSummary {
            StoredSummary(
                key: key, scene: key, viewModel: "counter", newest: 1, used: Self.used, bytes: 3, holder: holder)
        }
        let lines = StoredText.list([session("a", "process 12 on x"), session("b", nil)]).split(separator: "\n")
        #expect(
            lines == [
                "KEY  VIEW MODEL  EVENTS  LAST USED            SIZE  SERVER",
                "a    counter     1       2026-11-22 19:24:07  3 B   process 12 on x",
                "b    counter     1       2026-11-22 19:24:07  3 B",
            ])
    }

    @Test(arguments: [
        (["--store", "redis://host", "--take-over"], "--take-over is for sqlite: servers share a Redis"),
        (["--store", "sqlite::memory:"], "--store: takes the path of a file, not ':memory:'"),
        (
            ["--store", "sqlite:file:x.db?mode=memory"],
            "--store: takes the path of a file, not 'file:x.db?mode=memory'"
        ),
        (["--store", "sqlite:x", "--lease", "3"], "--lease and --advertise are for Redis"),
        (["--store", "sqlite:x", "--advertise", "a:1"], "--lease and --advertise are for Redis"),
        (["--lease", "3"], "--sync, --take-over, --lease, --advertise and --store-password-file go with --store"),
        (["--store", "redis://host", "--lease", "0"], "--lease: takes seconds, more than 0, not '0'"),
    ])
    func `options of a server that its store doesn't know are refused with words`(
        _ arguments: [String], _ words: String
    ) {
        let error = #expect(throws: UsageError.self) { try ServeOptions(arguments) }
        #expect(error?.message.hasPrefix(words) == true)
    }

    @Test func `the lease of servers that share a Redis is an option`() throws {
        #expect(try ServeOptions(["--store", "redis://host", "--lease", "2.5"]).store.lease == .seconds(2.5))
    }

    @Test func `a session is shown with its state, what it shares, its clients and its log`() throws {
        let folder = try ScratchFolder()
        let reader = try SQLiteStore(reading: try store(folder))
        defer { reader.close() }
        let scene = try #require(try reader.scene(withSessionKey: "root-key-0001"))
        #expect(
            StoredText.text(of: scene.sessions[0], in: scene) == """
                orders, key root-key…, last used 2026-11-22 19:24:07
                arguments {"a":1}
                state, version 2:
                  count = 42
                shared objects:
                  Basket/ids = [1]
                client page: event 7 is done
                log, newest 4:
                  1 {"kind":"a"}
                  3 {"kind":"k"}
                  4 push details child-ke…
                """)
    }

    @Test func `what waits for a shared session is shown`() {
        var turn = StoredTurn(
            session: "k", newest: 0, lost: 0, hasAllEvents: true, isStarted: false, savedVersion: 1)
        let shared = #"""
            [{"viewModel":"board","arguments":{"board":"garden"},"client":"c","base":0,"key":"board-key-1","seq":12,\#
            "last":2,"outbox":[{"number":2,"event":{"kind":"add","title":"Dig"}}]},\#
            {"viewModel":"chat","arguments":{},"client":"c","base":0,"seq":0,"last":0,"outbox":[]}]
            """#
        turn.notes = SessionNotes(text: Array(#"{"unhandled":[],"shared":\#(shared)}"#.utf8))
        let session = StoredSession(
            header: .init(key: "k", scene: "k", viewModel: "boardScreen", arguments: nil), turn: turn)
        let scene = StoredScene(
            header: .init(key: "k", owner: "unix", once: nil, used: 0), sessions: [session], shared: [])
        let lines = StoredText.text(of: session, in: scene).split(separator: "\n").map(String.init)
        #expect(
            lines.suffix(4).dropLast() == [
                #"shows board {"board":"garden"}, key board-ke…, up to its event 12"#,
                #"  1 event waits to be handled there, first {"kind":"add","title":"Dig"}"#,
                "shows chat {}, up to its event 0",
            ])
    }

    @Test(arguments: [
        (#"scope:["person","principal ada","todos",{}]"#, "principal ada finds it by opening todos"),
        (#"scope:["everyone","todos",{}]"#, "everyone finds it by opening todos"), ("8sIc3TtZ0mWvE5rKq1LhYw", nil),
    ])
    func `who finds a session by opening its view model is shown`(_ once: String, _ words: String?) throws {
        let turn = StoredTurn(
            session: "k", newest: 0, lost: 0, hasAllEvents: true, isStarted: false, savedVersion: 1)
        let session = StoredSession(
            header: .init(key: "k", scene: "k", viewModel: "todos", arguments: nil), turn: turn)
        let scene = StoredScene(
            header: .init(key: "k", owner: "unix", once: once, used: 0), sessions: [session], shared: [])
        let lines = StoredText.text(of: session, in: scene).split(separator: "\n").map(String.init)
        #expect(lines.first { $0.contains("finds it") } == words)
    }

    @Test func `a session that this program has no code for is shown with that`() throws {
        let folder = try ScratchFolder()
        let reader = try SQLiteStore(reading: try store(folder))
        defer { reader.close() }
        let scene = try #require(try reader.scene(withSessionKey: "child-key-001"))
        let child = try #require(scene.sessions.last)
        let lines = StoredText.text(of: child, in: scene, hasCode: false).split(separator: "\n")
        #expect(lines[1] == "can't go on: details isn't registered as a durable view model here")
        #expect(!StoredText.text(of: child, in: scene).contains("can't go on"))
    }

    @Test func `a store that a server has can be read meanwhile, each time as it is then`() throws {
        let folder = try ScratchFolder()
        let path = try store(folder)
        let server = try SQLiteStore(path: path, durability: .process)
        defer { server.close() }
        let reader = try SQLiteStore(reading: path)
        defer { reader.close() }
        #expect(try reader.summaries().count == 3)
        func removal(_ key: String) -> SceneCommit { SceneCommit(scene: key, changes: [.removeSession(key: key)]) }
        #expect(try server.commit([removal("root-key-0001")]) == [.stored])
        #expect(try reader.summaries().map(\.viewModel) == ["counter"])
        #expect(throws: StoreError.self) { try reader.commit([removal("late-key-0001")]) }
    }

    @Test func `a file that is no store is refused`() throws {
        let folder = try ScratchFolder()
        try folder.write("text", "no database")
        #expect(throws: StoreError.self) { try SQLiteStore(reading: folder.file("text")) }
        #expect(throws: StoreError.self) { try SQLiteStore(reading: folder.file("missing")) }
    }

    @Test(arguments: [
        ([], "name the store"), (["--store", "sqlite:x", "show"], "show takes the key"),
        (["--store", "sqlite:x", "remove", ""], "remove takes the key"),
        (["--store", "sqlite:x", "drop", "k"], "unknown action 'drop'"),
        (["--store", "redis://me:hush@host:x"], "--store: has a port that isn't 1 to 65535"),
        (["--store", "redis:me:hush@host"], "--store: takes sqlite:PATH, redis://HOST:PORT or unix:///PATH"),
        (["--store", "mysql:x"], "--store: takes sqlite:PATH, redis://HOST:PORT or unix:///PATH, not 'mysql:x'"),
        (["--store", "sqlite:x", "--store-password-file", "p"], "--store-password-file is for Redis"),
    ])
    func `a wrong command line is refused with words`(_ arguments: [String], _ words: String) {
        let error = #expect(throws: UsageError.self) { try StoredOptions(arguments) }
        #expect(error?.message.hasPrefix(words) == true)
        #expect(error?.message.contains("hush") == false)
    }

    @Test func `the password of Redis is in the address or in a file, and not in both`() throws {
        let folder = try ScratchFolder()
        try folder.write("password", "sesame\n")
        try folder.write("two", "a\nb\n")
        func source(_ address: String, _ file: String) throws -> StoreSource? {
            try StoredOptions(["--store", address, "--store-password-file", folder.file(file)]).store.source()
        }
        guard case .redis(let address)? = try source("redis://me@host", "password") else {
            throw UsageError(message: "no Redis")
        }
        #expect(address.password == "sesame" && address.user == "me" && "\(address)" == "redis://host:6379")
        for (address, file, words) in [
            ("redis://me:hush@host", "password", "the address of the store has a password, and so has"),
            ("redis://host", "two", "--store-password-file \(folder.file("two")): it has to be one line"),
            ("redis://host", "none", "--store-password-file \(folder.file("none")): there is no text"),
        ] {
            let error = #expect(throws: UsageError.self) { _ = try source(address, file) }
            #expect(error?.message.hasPrefix(words) == true)
        }
    }
}
