import Sessions
import Synchronization
import TestSupport
import Testing

@testable import Serving

/// The store of a server whose clients have a process each.
@Suite(.inTurn) struct ProcessStoresTests {
    /// What some processes ask, and what they are told.
    private struct Host {
        let store = MemoryStore()
        let stores: ProcessStores
        let told = Recorder<String>()

        init() {
            let journal = ImmediateJournal(store, clock: ContinuousClock()) {}
            stores = ProcessStores(journal)
        }

        func process(of principal: String? = nil) -> Int {
            let process = stores.newProcess()
            stores.add(
                process,
                .init(description: "process \(process)", principal: principal) { [told] answer in
                    told.record("\(process): \(Self.text(answer))")
                })
            return process
        }

        private static func text(_ answer: StoreAnswer) -> String {
            switch answer {
            case .stored(_, let outcome): outcome.isStored ? "stored" : outcome.isLost ? "lost" : "refused"
            case .loaded(_, .success(let scene)): scene.map { "read \($0.sessions.map(\.header.key))" } ?? "none"
            case .loaded(_, .failure(.held(let holder))): "held by \(holder.description)"
            case .loaded(_, .failure(let error)): "\(error)"
            case .failure, .lapsed: "\(answer)"
            case .wanted(let scene): "wanted \(scene)"
            case .listed(_, .success(let scenes)):
                scenes.map { "\($0.header.key) \($0.holder?.description ?? "-")" }.joined(separator: ", ")
            case .listed(_, .failure(let error)): "\(error)"
            }
        }

        /// What the process is answered.
        func ask(_ process: Int, _ request: StoreRequest) -> String? {
            let answer = Mutex<String?>(nil)
            stores.take(request, of: process) { given in answer.withLock { $0 = Self.text(given) } }
            return answer.withLock { $0 }
        }

        func make(_ key: String, by process: Int, life: Int, once: String? = nil) -> String? {
            let header = StoredScene.Header(key: key, owner: "o", once: once, used: 1)
            let session = StoredSession.Header(key: key, scene: key, viewModel: "tally", arguments: nil)
            return ask(
                process,
                .commit(
                    number: 1, life: life, scene: key,
                    changes: [.addScene(header), .addSession(session), .turn(Self.turn(key))]))
        }

        static func turn(_ key: String, clients: [ClientNumber] = []) -> StoredTurn {
            var turn = StoredTurn(
                session: key, newest: 0, lost: 0, hasAllEvents: true, isStarted: true, savedVersion: 1)
            turn.clients = clients
            return turn
        }

        func commit(_ key: String, by process: Int, life: Int, clients: [ClientNumber] = []) -> String? {
            ask(
                process,
                .commit(number: 2, life: life, scene: key, changes: [.turn(Self.turn(key, clients: clients))]))
        }

        func load(_ key: String, by process: Int) -> String? {
            ask(process, .load(number: 3, query: .session(key: key)))
        }
    }

    @Test func `a scene is in one process, which is told that another one wants it`() {
        let host = Host()
        let (one, other) = (host.process(), host.process())
        #expect(host.make("a", by: one, life: 1, once: "secret") == "stored")
        #expect(host.load("a", by: other) == "held by process \(one)")
        #expect(host.ask(other, .load(number: 1, query: .opening(once: "secret"))) == "held by process \(one)")
        #expect(host.told.elements == ["\(one): wanted a", "\(one): wanted a"])
        // It reads what it has, as for a second client.
        #expect(host.load("a", by: one) == #"read ["a"]"#)
        #expect(host.commit("a", by: one, life: 1) == "stored")
        // Given up, it is the other one's.
        #expect(host.ask(one, .release(life: 1, scene: "a")) == nil)
        #expect(host.load("a", by: other) == #"read ["a"]"#)
        #expect(host.load("a", by: one) == "held by process \(other)")
        #expect(host.commit("a", by: one, life: 1) == "lost")
        #expect(host.commit("a", by: other, life: 1) == "stored")
    }

    @Test func `a list says which process has a scene, and has none that ends`() {
        let host = Host()
        let (one, other) = (host.process(), host.process())
        for (life, key) in ["a", "b", "c", "d"].enumerated() {
            #expect(host.make(key, by: key == "a" ? one : other, life: life) == "stored")
        }
        func list(_ process: Int, _ owners: [String] = ["o"], person: String = "user 1") -> String? {
            let filter = SceneFilter(person: person, owners: owners, maximumCount: 10, maximumBytes: 1 << 20)
            return host.ask(process, .list(number: 1, filter: filter))
        }
        #expect(list(one) == "a -, b process \(other), c process \(other), d process \(other)")
        #expect(list(other) == "a process \(one), b -, c -, d -")
        #expect(host.ask(other, .release(life: 2, scene: "c")) == nil)
        host.store.fail(at: 1, .isAway)
        #expect(host.ask(other, .commit(number: 1, life: 3, scene: "d", changes: [.removeSession(key: "d")])) == nil)
        #expect(list(one) == "a -, b process \(other), c -")
        #expect(host.told.elements.isEmpty, "nobody is asked to give a scene up")
    }

    @Test func `a process lists no scenes of another client's principal`() {
        let host = Host()
        let (ada, nobody) = (host.process(of: "ada"), host.process())
        func list(_ process: Int, _ person: String?, _ owners: [String]) -> String? {
            let filter = SceneFilter(person: person, owners: owners, maximumCount: 10, maximumBytes: 1 << 20)
            return host.ask(process, .list(number: 1, filter: filter))
        }
        #expect(list(ada, "principal ada", ["principal ada"]) == "")
        #expect(list(ada, nil, []) == "")
        #expect(list(nobody, "user 1", ["unix"]) == "")
        let refused = #"unusable("the process asks for sessions of others")"#
        #expect(list(ada, "principal bob", ["principal ada"]) == refused)
        #expect(list(ada, "principal ada", ["principal bob"]) == refused)
        #expect(list(ada, "user 1", ["unix"]) == refused)
        #expect(list(nobody, "principal ada", []) == refused)
    }

    @Test func `a process has no scene that it wasn't given`() {
        let host = Host()
        let (one, other) = (host.process(), host.process())
        #expect(host.make("a", by: one, life: 1) == "stored")
        #expect(host.commit("a", by: other, life: 1) == "lost")
        #expect(host.make("a", by: other, life: 1) == "lost")
        #expect(host.ask(other, .release(life: 1, scene: "a")) == nil)
        #expect(host.ask(other, .load(number: 1, query: .owner(scene: "a")))?.hasPrefix("lost") ?? false)
        #expect(host.ask(other, .leave) == nil)
        #expect(host.commit("b", by: other, life: 1) == "lost")
        #expect(host.commit("a", by: one, life: 1) == "stored")
    }

    @Test func `a process changes no session of another one's scene, though it knows its key`() throws {
        let host = Host()
        let (one, other) = (host.process(), host.process())
        #expect(host.make("a", by: one, life: 1) == "stored")
        #expect(host.make("b", by: other, life: 1) == "stored")
        let mine = Host.turn("b", clients: [ClientNumber(client: "c", number: 1)])
        let changes: [StoredChange] = [
            .turn(Host.turn("a", clients: [ClientNumber(client: "c", number: 9)])), .removeSession(key: "a"),
            .useScene(key: "a", time: 0), .share(scene: "a", values: [SavedValue(name: "x", text: [0x31])]),
            .addSession(.init(key: "a", scene: "b", viewModel: "tally", arguments: nil)),
            .addSession(.init(key: "c", scene: "a", viewModel: "tally", arguments: nil)),
            .addScene(.init(key: "a", owner: "me", once: nil, used: 0)), .turn(mine),
        ]
        let before = try #require(host.store.scenes.first { $0.header.key == "a" })
        #expect(host.ask(other, .commit(number: 3, life: 1, scene: "b", changes: changes)) == "stored")
        #expect(host.store.scenes.first { $0.header.key == "a" } == before)
        let scene = try #require(host.store.scenes.first { $0.header.key == "b" })
        #expect(scene.sessions.map(\.turn.clients) == [mine.clients])
        #expect(host.load("a", by: other) == "held by process \(one)")
    }

    @Test func `a life that is over stores nothing more, though the process has the scene again`() {
        let host = Host()
        let one = host.process()
        #expect(host.make("a", by: one, life: 1) == "stored")
        #expect(host.ask(one, .release(life: 1, scene: "a")) == nil)
        #expect(host.load("a", by: one) == #"read ["a"]"#)
        #expect(host.commit("a", by: one, life: 2) == "stored")
        #expect(host.commit("a", by: one, life: 1) == "lost")
        #expect(host.ask(one, .release(life: 1, scene: "a")) == nil)
        #expect(host.commit("a", by: one, life: 2) == "stored")
    }

    @Test func `the scenes of a process that has ended are the next one's, and it stores nothing more`() {
        let host = Host()
        let (one, other) = (host.process(), host.process())
        #expect(!host.stores.remove(host.process()))
        #expect(host.make("a", by: one, life: 1) == "stored")
        #expect(host.stores.remove(one))
        #expect(host.load("a", by: other) == #"read ["a"]"#)
        #expect(host.commit("a", by: one, life: 1) == "lost")
        #expect(host.load("a", by: one) == "held by process \(other)")
    }

    @Test func `what a process says of the time to come is bounded`() {
        let host = Host()
        let one = host.process()
        #expect(host.make("a", by: one, life: 1) == "stored")
        let places = Mutex(ScenePlaces<Int>())
        let kept = places.withLock { places in
            places.add(1)
            let header = StoredScene.Header(key: "a", owner: "o", once: nil, used: 1)
            return places.willCommit(
                [
                    .addScene(header), .useScene(key: "a", time: 1, ahead: .max),
                    .useScene(key: "a", time: 1, ahead: -1),
                ],
                of: "a", 1, by: 1)?.changes
        }
        #expect(
            kept?.dropFirst() == [
                .useScene(key: "a", time: 1, ahead: 86_400), .useScene(key: "a", time: 1, ahead: 0),
            ])
    }

    @Test func `a process that has given everything up is still one whose sessions go on`() {
        let host = Host()
        let one = host.process()
        #expect(host.make("a", by: one, life: 1) == "stored")
        #expect(host.ask(one, .leave) == nil)
        #expect(host.stores.remove(one))
    }

    @Test func `a scene that is removed is gone for all`() {
        let host = Host()
        let (one, other) = (host.process(), host.process())
        #expect(host.make("a", by: one, life: 1) == "stored")
        #expect(
            host.ask(one, .commit(number: 1, life: 1, scene: "a", changes: [.removeSession(key: "a")])) == "stored")
        #expect(host.load("a", by: other) == "none")
    }

    @Test func `an event that has ended two processes is answered with that, once and for all`() throws {
        let host = Host()
        var process = host.process()
        let event = CrashedEvent(session: "a", client: "c", number: 3)
        let note = try #require(event.text)
        #expect(host.make("a", by: process, life: 1) == "stored")
        #expect(host.commit("a", by: process, life: 1, clients: [ClientNumber(client: "c", number: 2)]) == "stored")
        for crash in 1...2 {
            // Another process may say what it likes, and this one no number that isn't one.
            let odd = CrashedEvent(session: "a", client: "c", number: .min).text ?? []
            host.stores.didCrash(process, in: try #require(LastEvent(odd, "lies")))
            host.stores.didCrash(host.process(), in: try #require(LastEvent(note, "lies")))
            host.stores.didCrash(process, in: try #require(LastEvent(note, "tally.add trapped")))
            #expect(host.stores.remove(process))
            process = host.process()
            #expect(host.load("a", by: process) == #"read ["a"]"#)
            let turn = try #require(host.store.scenes.first?.sessions.first?.turn)
            #expect(turn.clients == [ClientNumber(client: "c", number: crash == 1 ? 2 : 3)])
            let unhandled = turn.notes?.unhandled ?? []
            #expect(unhandled.map(\.number) == (crash == 1 ? [] : [3]))
            if crash == 2 {
                let reason = UnhandledEvent.Reason.failed(
                    "a process of this session ended each time that it handled this event: tally.add trapped")
                #expect(unhandled.first?.reason == reason)
            }
            #expect(host.commit("a", by: process, life: 1 + crash) == "stored")
        }
    }

    @Test(arguments: [(3, 3, [2, 3]), (65, 65, Array(2...65)), (66, 1, []), (Int.max, 1, [])])
    func `what isn't done beside an event that ends its processes is given up with it, and not taken for done`(
        fatal: Int, highest: Int, unhandled: [Int]
    ) throws {
        let host = Host()
        var process = host.process()
        let note = try #require(CrashedEvent(session: "a", client: "c", number: fatal).text)
        #expect(host.make("a", by: process, life: 1) == "stored")
        #expect(host.commit("a", by: process, life: 1, clients: [ClientNumber(client: "c", number: 1)]) == "stored")
        for _ in 1...2 {
            host.stores.didCrash(process, in: try #require(LastEvent(note, "tally.add trapped")))
            #expect(host.stores.remove(process))
            process = host.process()
            #expect(host.load("a", by: process) == #"read ["a"]"#)
        }
        let turn = try #require(host.store.scenes.first?.sessions.first?.turn)
        #expect(turn.clients == [ClientNumber(client: "c", number: highest)])
        let notes = turn.notes?.unhandled ?? []
        #expect(notes.map(\.number) == unhandled)
        let words = { (what: String) in
            UnhandledEvent.Reason.failed("a process of this session ended each time \(what): tally.add trapped")
        }
        #expect(notes.dropLast().allSatisfy { $0.reason == words("beside this event") })
        #expect(notes.isEmpty || notes.last?.reason == words("that it handled this event"))
    }
}
