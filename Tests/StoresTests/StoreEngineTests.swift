import LibC
import Sessions
import Stores
import TestSupport
import Testing

/// What every engine does, on a real file or server. Each test reads with a store that has written nothing.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct StoreEngineTests {
    @Test(arguments: StoreEngine.installed)
    func `everything about a scene is read back as it was written`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        let scene = StoredScene(
            header: .init(key: "root", owner: "me", once: "secret", used: 1_700_000_000),
            sessions: [
                session(
                    .init(key: "root", scene: "root", viewModel: "orders", arguments: Array(#"{"count":3}"#.utf8)),
                    newest: 4, lost: 1,
                    entries: [
                        .navigation(2, .push, "details", "orderDetails"), .event(3, #"{"kind":"count"}"#, key: "count"),
                        .navigation(4, .present, "confirm", "confirm cancel"),
                    ],
                    clients: [.init(client: "a", number: 7), .init(client: "b", number: 1)],
                    saved: [.init("first", "1"), .init("second", #"{"deep":[null]}"#)]),
                session(
                    .init(key: "details", scene: "root", viewModel: "orderDetails", arguments: [], shownBy: .push),
                    newest: 0),
                session(
                    .init(
                        key: "confirm", scene: "root", viewModel: "confirm cancel", arguments: nil, shownBy: .present,
                        isDurable: false),
                    newest: .max, lost: .max - 2, hasAllEvents: false, isStarted: false, version: -3,
                    entries: [.navigation(.max - 1, .pop, "x", "y"), .navigation(.max, .dismiss, "x", "y")]),
            ],
            shared: [.init("Cancelled.ids", "[1,2]")])
        try place.write(
            [.addScene(scene.header)], scene.sessions.map { .addSession($0.header) },
            scene.sessions.map { .turn($0.turn) }, [.share(scene: "root", values: scene.shared)])
        for key in ["root", "details", "confirm"] { #expect(try place.read(key) == scene, "\(key)") }
        #expect(try place.read("other") == nil)
    }

    @Test(arguments: StoreEngine.installed)
    func `each server that takes a scene begins an epoch of its sessions, and one that reads it doesn't`(
        _ engine: StoreEngine
    ) throws {
        let place = try StorePlace(engine)
        try place.write(StoredChange.root("a"), [.session("b", in: "a"), .event("a", 1, "1")])
        let first = try place.take("a")
        #expect(first.map { $0.has(0, of: "1") } == [true, true])
        #expect(first.map { $0.has(1, of: "1") } == [true, false])
        #expect(first[0].current != "1" && first[0].current == first[1].current)
        _ = try place.openToRead().scene(withSessionKey: "a")
        // One that has it and is asked again, as by a second client, goes on.
        let store = try place.open()
        let epochs = try [store.scene(withSessionKey: "a"), store.scene(withSessionKey: "b")].map { scene in
            try #require(scene).sessions.map(\.epochs)
        }
        #expect(epochs[0] == epochs[1] && epochs[0] != first)
        store.close()
        // What writes has taken it.
        try place.write([.event("a", 2, "2")])
        let last = try place.take("b")
        #expect(last[0].has(1, of: first[0].current))
        #expect(!last[0].has(2, of: first[0].current))
        #expect(last[0].text.split(separator: " ").count == first[0].text.split(separator: " ").count + 3)
    }

    private func session(
        _ header: StoredSession.Header, newest: Int, lost: Int = 0, hasAllEvents: Bool = true, isStarted: Bool = true,
        version: Int = 1, entries: [StoredEntry] = [], clients: [ClientNumber] = [], saved: [SavedValue] = []
    ) -> StoredSession {
        var turn = StoredTurn(
            session: header.key, newest: newest, lost: lost, hasAllEvents: hasAllEvents, isStarted: isStarted,
            savedVersion: version)
        (turn.entries, turn.clients, turn.saved) = (entries, clients, saved)
        return StoredSession(header: header, turn: turn)
    }

    @Test(
        arguments: [
            "", " ", "'", "\"; DROP TABLE scene; --", "a\0b", "\0", "\0\0", "👩‍👩‍👧‍👦", "\u{FEFF}x", "e\u{301}", "%_?1:a@b$c",
            String(repeating: "long", count: 100_000),
        ], StoreEngine.installed)
    func `a text of any content is a key, a name and a value`(_ text: String, _ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        let header = StoredScene.Header(key: text, owner: text, once: text, used: -1)
        let root = StoredSession.Header(key: text, scene: text, viewModel: text, arguments: Array(text.utf8))
        let scene = StoredScene(
            header: header,
            sessions: [
                session(
                    root, newest: 2,
                    entries: [.event(1, text, key: text), .navigation(2, .push, text, text)],
                    clients: [.init(client: text, number: 1)], saved: [.init(text, text)])
            ],
            shared: [.init(text, text)])
        try place.write(
            [.addScene(header), .addSession(root), .turn(scene.sessions[0].turn)],
            [.share(scene: text, values: scene.shared)],
            // Beside others that differ little.
            [.scene(text + "\0", once: text + " "), .session(text + "\0")])
        let found = try #require(try place.read(text))
        #expect(found == scene)
        // Swift's equality takes no notice of how a character is composed.
        #expect(found.header.key.utf8.elementsEqual(text.utf8))
        let store = try place.open()
        #expect(try store.rootKey(ofOpening: text) == text)
        #expect(try store.rootKey(ofOpening: text + " ") == text + "\0")
        store.close()
    }

    @Test(arguments: StoreEngine.installed)
    func `arguments come back with their version`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        try place.write([
            .scene("a"), .session("a", arguments: [1], argumentsVersion: 3),
            .session("b", in: "a", arguments: [2], argumentsVersion: 2, shownBy: .push),
            .session("c", in: "a", shownBy: .push),
        ])
        let sessions = try #require(try place.read("a")?.sessions)
        #expect(sessions.map(\.header.argumentsVersion) == [3, 2, 1])
        #expect(sessions.map(\.header.arguments) == [[1], [2], nil])
        #expect(sessions.map(\.header.isDurable) == [true, true, true])
    }

    @Test(arguments: StoreEngine.installed)
    func `bytes that are no text, and a megabyte of them, come back exactly`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        let bytes: [UInt8] = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let entry = StoredEntry(number: 1, key: nil, content: .event(bytes))
        let saved = SavedValue(name: "", text: bytes.reversed())
        try place.write(
            [.scene("a"), .session("a", arguments: bytes), .turn("a", newest: 1, entries: [entry], saved: [saved])])
        let session = try #require(try place.read("a")?.sessions.first)
        #expect(session.header.arguments == bytes)
        #expect(session.turn.entries == [entry])
        #expect(session.turn.saved == [saved])
    }

    @Test(arguments: StoreEngine.installed)
    func `what is empty stays apart from what is absent`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        try place.write([
            .scene("a", once: nil), .session("a", arguments: []), .scene("b", once: ""),
            .session("b", arguments: nil),
            .turn("a", newest: 2, entries: [.event(1, "", key: ""), .event(2, "", key: nil)]),
        ])
        #expect(try place.read("a")?.header.once == nil)
        #expect(try place.read("b")?.header.once == "")
        #expect(try place.read("a")?.sessions.first?.header.arguments == [])
        #expect(try place.read("b")?.sessions.first?.header.arguments == .some(nil))
        #expect(try place.entries("a") == [.event(1, "", key: ""), .event(2, "", key: nil)])
    }

    @Test(arguments: StoreEngine.installed)
    func `an event supersedes the one with its key in its session, in the same turn and later`(_ engine: StoreEngine)
        throws
    {
        let place = try StorePlace(engine)
        try place.write(
            StoredChange.root("a") + StoredChange.root("b"),
            [
                .event("b", 1, "other", key: "x"),
                .turn("a", newest: 3, entries: [.event(1, "1", key: "x"), .event(2, "2"), .event(3, "3", key: "x")]),
            ],
            [.event("a", 4, "4", key: "y"), .event("a", 5, "5", key: "x")], [.event("a", 6, "6", key: "X")])
        #expect(
            try place.entries("a") == [
                .event(2, "2"), .event(4, "4", key: "y"), .event(5, "5", key: "x"), .event(6, "6", key: "X"),
            ])
        #expect(try place.entries("b") == [.event(1, "other", key: "x")])
    }

    @Test(arguments: StoreEngine.installed)
    func `events up to the newest lost one go, also those of the turn that loses them`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        try place.write(
            StoredChange.root("a"), (1...5).map { .event("a", $0, "\($0)") },
            [.turn("a", newest: 7, lost: 6, hasAllEvents: false, entries: [.event(6, "6"), .event(7, "7")])])
        let turn = try #require(try place.read("a")?.sessions.first).turn
        #expect(turn.entries == [.event(7, "7")])
        #expect((turn.newest, turn.lost, turn.hasAllEvents) == (7, 6, false))
    }

    @Test(arguments: StoreEngine.installed)
    func `a client's number 0 takes its name out, where that is there, and a number behind it puts it in again`(
        _ engine: StoreEngine
    ) throws {
        let place = try StorePlace(engine)
        func clients(_ numbers: KeyValuePairs<String, Int>) throws -> [ClientNumber] {
            let clients = numbers.map { ClientNumber(client: $0.key, number: $0.value) }
            try place.write([.turn("a", newest: 0, clients: clients)])
            return try #require(try place.read("a")).sessions[0].turn.clients
        }
        try place.write(StoredChange.root("a"))
        func hasForgotten() throws -> Bool? { try place.read("a")?.sessions[0].turn.hasForgottenClients }
        #expect(try clients(["x": 1, "y": 2]).count == 2)
        #expect(try hasForgotten() == false)
        #expect(try clients(["x": 0, "none": 0]) == [.init(client: "y", number: 2)])
        #expect(try clients(["y": 0, "y": 3]) == [.init(client: "y", number: 3)])
        #expect(try hasForgotten() == true)
    }

    @Test(arguments: StoreEngine.installed)
    func `notes are replaced as a whole, and stay where a turn has none`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        let notes = SessionNotes(
            unhandled: [
                .init(.init(client: "x", number: 1), .failed("ä\u{0}\"")),
                .init(.init(client: "", number: .max), .cancelled),
            ], unsent: UnsentEvent(newest: .max, key: "ö"))
        try place.write(StoredChange.root("a"), [.turn("a", newest: 0)])
        func stored() throws -> SessionNotes? { try #require(try place.read("a")).sessions[0].turn.notes }
        #expect(try stored() == nil)
        for (given, expected) in [(notes, notes), (nil, notes), (SessionNotes(), SessionNotes())]
            as [(SessionNotes?, _)]
        {
            var turn = StoredTurn(
                session: "a", newest: 0, lost: 0, hasAllEvents: true, isStarted: true, savedVersion: 1)
            turn.notes = given
            turn.saved = [.init("p", "1")]
            try place.write([.turn(turn)])
            #expect(try stored() == expected)
            #expect(try place.read("a")?.sessions[0].turn.saved == [.init("p", "1")], "it is read behind them")
        }
    }

    @Test(arguments: StoreEngine.installed)
    func `numbers of clients and parts of a state are replaced one by one`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        try place.write(
            StoredChange.root("a"),
            [
                .turn(
                    "a", newest: 0, clients: [.init(client: "x", number: 1), .init(client: "y", number: 1)],
                    saved: [.init("p", "1"), .init("q", "1")])
            ],
            [.turn("a", newest: 0, version: 2, clients: [.init(client: "y", number: 5)], saved: [.init("p", "2")])],
            [.share(scene: "a", values: [.init("s", "1"), .init("t", "1")])],
            [.share(scene: "a", values: [.init("t", "")])])
        let scene = try #require(try place.read("a"))
        #expect(scene.sessions[0].turn.clients == [.init(client: "x", number: 1), .init(client: "y", number: 5)])
        #expect(scene.sessions[0].turn.saved == [.init("p", "2"), .init("q", "1")])
        #expect(scene.sessions[0].turn.savedVersion == 2)
        #expect(scene.shared == [.init("s", "1"), .init("t", "")])
    }

    @Test(arguments: StoreEngine.installed)
    func `a child goes by itself, a root takes its scene along, and nothing of them is left`(_ engine: StoreEngine)
        throws
    {
        let place = try StorePlace(engine)
        let child = StoredChange.session("child", in: "a", shownBy: .push)
        let contents: [StoredChange] = ["a", "child", "b"].map {
            .turn(
                $0, newest: 1, entries: [.event(1, "1", key: "k")], clients: [.init(client: "c", number: 1)],
                saved: [.init("p", "1")])
        }
        try place.write(
            StoredChange.root("a") + [child] + StoredChange.root("b"), contents,
            [.share(scene: "a", values: [.init("s", "1")])])
        try place.write([.removeSession(key: "child")])
        #expect(try place.read("a")?.sessions.map(\.header.key) == ["a"])
        #expect(try place.read("child") == nil)
        // A turn that was on its way when its session ended changes nothing.
        try place.write([.removeSession(key: "a")], [.event("a", 2, "2"), .removeSession(key: "a")])
        #expect(try place.read("a") == nil)
        #expect(try place.read("b")?.sessions[0].turn.entries == [.event(1, "1", key: "k")])
        try place.write([.removeSession(key: "b")])
        try place.expectEmpty()
    }

    @Test(arguments: [StoreEngine.sqlite], [StoredChange.event("a", 2, "2"), .share(scene: "a", values: [])])
    func `a commit of a scene that was removed isn't taken for stored`(
        _ engine: StoreEngine, _ change: StoredChange
    ) throws {
        let place = try StorePlace(engine)
        let store = try place.open()
        defer { store.close() }
        try store.commit(StoredChange.root("a") + StoredChange.root("b"))
        try store.commit([.removeSession(key: "a")])
        let outcomes = try store.commit([
            SceneCommit(scene: "a", changes: [change]), SceneCommit(scene: "b", changes: [.event("b", 1, "1")]),
        ])
        #expect(outcomes.map(\.isLost) == [true, false])
        #expect(outcomes.map(\.isStored) == [false, true])
        #expect(try store.scene(withSessionKey: "b")?.sessions[0].turn.entries == [.event(1, "1")])
    }

    @Test(arguments: StoreEngine.installed)
    func `a session is found by its key for readers, also after a restart, while it is there`(
        _ engine: StoreEngine
    ) throws {
        let place = try StorePlace(engine)
        try place.write(
            StoredChange.root("a") + [.session("child", in: "a", shownBy: .push)] + StoredChange.root("b"),
            [.setReadKey(session: "a", key: "r"), .setReadKey(session: "child", key: "s")])
        #expect(try place.read("r")?.sessions.map(\.readKey) == ["r", "s"])
        #expect(try place.read("s")?.header.key == "a")
        #expect(try place.read("b")?.sessions.map(\.readKey) == [nil])
        try place.write([.setReadKey(session: "a", key: "r"), .removeSession(key: "child")])
        #expect(try place.read("s") == nil)
        #expect(try place.read("r")?.sessions.map(\.header.key) == ["a"])
        // Another one takes its place.
        try place.write([.setReadKey(session: "a", key: "q")])
        #expect(try place.read("r") == nil)
        try place.write([.setReadKey(session: "a", key: "r")])
        #expect(try place.read("q") == nil)
        // One that was on its way when its session ended changes nothing.
        try place.write([.setReadKey(session: "child", key: "t"), .removeSession(key: "b")])
        #expect(try place.read("t") == nil)
        try place.write([.removeSession(key: "a")])
        #expect(try place.read("r") == nil)
        try place.expectEmpty()
    }

    @Test(arguments: StoreEngine.installed)
    func `an opening is found by its secret while its scene is there`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        try place.write([
            .scene("a", once: "one"), .session("a"), .scene("b"), .session("b"), .scene("c"), .session("c"),
        ])
        let store = try place.open()
        #expect(try store.rootKey(ofOpening: "one") == "a")
        #expect(try store.rootKey(ofOpening: "two") == nil)
        try store.commit([.removeSession(key: "a")])
        #expect(try store.rootKey(ofOpening: "one") == nil)
        store.close()
    }

    @Test(arguments: StoreEngine.installed)
    func `a commit that fails in its middle stores nothing, is refused for good, and harms no later one`(
        _ engine: StoreEngine
    ) throws {
        let place = try StorePlace(engine)
        try place.write(StoredChange.root("a"))
        let store = try place.open()
        let twice: [StoredChange] = [.event("a", 1, "1"), .event("a", 1, "again")]
        let error = #expect(throws: StoreError.self) { try store.commit(twice) }
        guard case .unusable = error else { throw Unexpected(error) }
        // A session of no scene, and one with the key of another.
        for changes in [[StoredChange.session("b", in: "none")], [.event("a", 1, "1"), .session("a")]] {
            let error = #expect(throws: StoreError.self) { try store.commit(changes) }
            guard case .unusable = error else { throw Unexpected(error) }
        }
        #expect(try store.scene(withSessionKey: "a")?.sessions[0].turn.newest == 0)
        // Beside one that can.
        #expect(throws: StoreError.self) {
            try store.commit([.event("a", 1, "right"), .session("b", in: "none")])
        }
        #expect(try store.scene(withSessionKey: "a")?.sessions[0].turn.entries == [.event(1, "right")])
        store.close()
    }

    @Test(arguments: StoreEngine.installed)
    func `a store that is left without being closed has everything that was committed`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        var store: (any ListingStore)? = try place.open()
        try store?.commit(StoredChange.root("a"))
        for number in 1...2_000 { try store?.commit([.event("a", number, "\(number)", key: "count")]) }
        store = nil
        // Its process goes on, and so may its hold on the store.
        let next = try place.open(takesOver: true)
        defer { next.close() }
        let entries = try next.scene(withSessionKey: "a")?.sessions[0].turn.entries
        #expect(entries == [.event(2_000, "2000", key: "count")])
    }

    @Test(arguments: StoreEngine.installed)
    func `random commits leave what the same changes leave in memory`(_ engine: StoreEngine) throws {
        for seed in 1...5 {
            let place = try StorePlace(engine)
            var model = ModelStore(seed: seed)
            for _ in 1...4 {
                let store = try place.open()
                for _ in 1...50 { try store.commit(model.nextCommit()) }
                for (key, scene) in model.scenes {
                    #expect(try store.scene(withSessionKey: key)?.withoutEpochs == scene, "seed \(seed)")
                }
                #expect(try store.scene(withSessionKey: "none") == nil)
                store.close()
            }
            #expect(model.scenes.count > 1)
            try place.write(model.scenes.keys.map { .removeSession(key: $0) })
            try place.expectEmpty()
        }
    }

    @Test(arguments: [StoreEngine.sqlite])
    func `a second server is refused while the first has the store, and let in when that has closed`(
        _ engine: StoreEngine
    ) throws {
        let place = try StorePlace(engine)
        let first = try place.open()
        let error = #expect(throws: StoreError.self) { _ = try place.open() }
        guard case .inaccessible(let reason) = error else { throw Unexpected(error) }
        #expect(reason.contains("is in use by another server, process \(getpid())"))
        #expect(reason.hasSuffix(": stop that, or take the file over (--take-over)"))
        try first.commit(StoredChange.root("a"))
        first.close()
        #expect(try place.read("a") != nil)
    }

    @Test(arguments: [StoreEngine.sqlite])
    func `a server that was taken over stores nothing, reads nothing and says so`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        let first = try place.open()
        try first.commit(StoredChange.root("a") + [.event("a", 1, "1")])
        try first.renew()
        let second = try place.open(takesOver: true)
        let takenOver = StoreError.takenOver("another server has taken the store over")
        #expect(throws: takenOver) { try first.commit([.event("a", 2, "2")]) }
        #expect(throws: takenOver) { try first.commit([.removeSession(key: "a")]) }
        #expect(throws: takenOver) { try first.removeScenes(unusedFor: .zero) }
        #expect(throws: takenOver) { try first.scene(withSessionKey: "a") }
        #expect(throws: takenOver) { try first.rootKey(ofOpening: "once") }
        #expect(throws: takenOver) { try first.checkOwner(of: "a") }
        #expect(throws: takenOver) { try first.renew() }
        try second.checkOwner(of: "a")
        #expect(try second.scene(withSessionKey: "a")?.sessions[0].turn.entries == [.event(1, "1")])
        try second.commit([.event("a", 2, "two")])
        // The end of the first changes nothing for the second, which keeps others out.
        first.close()
        #expect(throws: StoreError.self) { _ = try place.open() }
        try second.commit([.event("a", 3, "three")])
        second.close()
    }

    @Test(arguments: StoreEngine.installed)
    func `a list has all sessions, those used last first, also beside a server that has the store`(
        _ engine: StoreEngine
    ) throws {
        let place = try StorePlace(engine)
        let server = try place.open()
        defer { server.close() }
        try server.commit([
            .scene("a", used: 10), .session("a", arguments: Array("{}".utf8)),
            .session("child", in: "a", viewModel: "details"), .scene("b", used: 20), .session("b"),
            .turn("a", newest: 2, entries: [.event(1, "12345"), .navigation(2, .push, "child", "details")]),
            .turn("child", newest: 0, saved: [.init("name", "abc")]),
        ])
        let reader = try place.openToRead()
        defer { reader.close() }
        let holder = engine == .redis ? "process \(getpid()) on \(hostName)" : nil
        #expect(
            try reader.summaries() == [
                StoredSummary(
                    key: "b", scene: "b", viewModel: "counter", newest: 0, used: 20, bytes: 0, holder: holder),
                StoredSummary(
                    key: "a", scene: "a", viewModel: "counter", newest: 2, used: 10, bytes: 14, holder: holder),
                StoredSummary(
                    key: "child", scene: "a", viewModel: "details", newest: 0, used: 10, bytes: 3, holder: holder),
            ])
        #expect(try reader.scene(withSessionKey: "child")?.header.key == "a")
        #expect(throws: StoreError.self) { try reader.commit([.removeSession(key: "b")]) }
        #expect(throws: StoreError.self) { try reader.removeScenes(unusedFor: .zero) }
        try server.commit([.event("a", 3, "3")])
        #expect(try server.scene(withSessionKey: "b") != nil)
    }
}

private var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ error: StoreError?) {
        description = "\(error.map { "\($0)" } ?? "nothing") was thrown"
    }
}
