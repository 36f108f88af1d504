import Sessions
import Stores
import TestSupport
import Testing

/// The scenes that a person may come back to, as every engine lists them.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct SceneListingTests {
    private static let ada = filter("principal ada", ["principal ada"])

    private static func filter(
        _ person: String?, _ owners: [String], count: Int = 100, bytes: Int = 1 << 20
    ) -> SceneFilter {
        SceneFilter(person: person, owners: owners, maximumCount: count, maximumBytes: bytes)
    }

    private static func once(_ scope: String, _ words: String) -> String { #"scope:["\#(scope)",\#(words)]"# }

    private static func scene(
        _ key: String, _ owner: String, _ once: String?, used: Int64 = 0, arguments: String? = nil,
        title: String? = nil, child: String? = nil
    ) -> [StoredChange] {
        var turn = StoredTurn(
            session: key, newest: 1, lost: 0, hasAllEvents: true, isStarted: true, savedVersion: 1)
        turn.notes = title.map { SessionNotes(title: $0) }
        let header = StoredSession.Header(
            key: key, scene: key, viewModel: "model \(key)", arguments: arguments.map { Array($0.utf8) })
        let child = child.map { child -> StoredChange in
            .addSession(.init(key: child, scene: key, viewModel: "child", arguments: nil, shownBy: .push))
        }
        return [.addScene(.init(key: key, owner: owner, once: once, used: used)), .addSession(header)]
            + [child].compactMap(\.self) + [.turn(turn), .useScene(key: key, time: used)]
    }

    private func all(_ filter: SceneFilter, in store: any SessionStore) throws -> [ListedScene] {
        var (scenes, place): ([ListedScene], Int?) = ([], 0)
        while let from = place {
            let step = try store.scenes(for: filter, from: from)
            scenes += step.scenes
            place = step.rest
        }
        return scenes
    }

    /// Of each kind one, the more recently used ones first in the alphabet.
    private func fill(_ place: StorePlace) throws {
        try place.write(
            Self.scene("h", "unix", nil, used: 1),
            Self.scene("a", "principal ada", Self.once("person", #""principal ada","todos",{}"#), used: 8, title: "A"),
            Self.scene("c", "principal ada", nil, used: 6, arguments: #"{"n":1}"#, child: "child"),
            Self.scene("b", "principal bob", Self.once("everyone", #""board",{"b":"x"}"#), used: 7),
            Self.scene("d", "principal ada", "a secret of twenty-two characters", used: 5),
            Self.scene("e", "principal bob", Self.once("person", #""principal bob","todos",{}"#), used: 4),
            // A name that begins as another one's.
            Self.scene("f", "principal adam", Self.once("person", #""principal adam","todos",{}"#), used: 3),
            // Of the scope of another person, whoever opened it.
            Self.scene("g", "unix", Self.once("person", #""user 7","todos",{}"#), used: 2))
    }

    @Test(arguments: StoreEngine.installed)
    func `a person's scenes are listed with those of everyone, the most recently used first`(
        _ engine: StoreEngine
    ) throws {
        let place = try StorePlace(engine)
        try fill(place)
        let store = try place.open()
        defer { store.close() }
        let listed = try all(Self.ada, in: store)
        #expect(listed.map(\.header.key) == ["a", "b", "c", "d"])
        #expect(listed.map(\.header.used) == [8, 7, 6, 5])
        #expect(listed.map(\.viewModel) == ["model a", "model b", "model c", "model d"])
        #expect(listed.map(\.title) == ["A", nil, nil, nil])
        let arguments = listed.map { $0.arguments.map { String(decoding: $0, as: UTF8.self) } }
        #expect(arguments == [nil, nil, #"{"n":1}"#, nil])
        #expect(listed.map(\.header.owner) == ["principal ada", "principal bob", "principal ada", "principal ada"])
        #expect(listed.map { $0.header.once?.count ?? 0 > 0 } == [true, true, false, true])
        #expect(try all(Self.filter(nil, []), in: store).map(\.header.key) == ["b"])
        #expect(try all(Self.filter("user 8", ["unix", "stdio"]), in: store).map(\.header.key) == ["b", "h"])
        #expect(try all(Self.filter("user 7", ["user 7"]), in: store).map(\.header.key) == ["b", "g"])
        #expect(try all(Self.filter("nobody", ["nobody"]), in: place.openToRead()).map(\.header.key) == ["b"])
    }

    @Test(arguments: StoreEngine.installed)
    func `a list has no more than was asked for, and leaves out what is too long for it`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        try fill(place)
        let long = String(repeating: "7", count: 2_000)
        try place.write(Self.scene("_", "principal ada", nil, used: 9, arguments: long))
        let store = try place.open()
        defer { store.close() }
        func keys(count: Int = 100, bytes: Int = 1 << 20) throws -> [String] {
            try all(Self.filter("principal ada", ["principal ada"], count: count, bytes: bytes), in: store)
                .map(\.header.key)
        }
        #expect(try keys() == ["_", "a", "b", "c", "d"])
        #expect(try keys(count: 2) == ["_", "a"])
        #expect(try keys(bytes: 2_000) == ["a", "b", "c", "d"])
        #expect(try keys(bytes: 600) == ["a", "b"])
        #expect(try keys(count: 0).isEmpty)
    }

    @Test(arguments: StoreEngine.installed)
    func `a scene that goes isn't listed any more, and one that is used comes first`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        try fill(place)
        try place.write([.useScene(key: "d", time: 20)], [.removeSession(key: "a")])
        let store = try place.open()
        defer { store.close() }
        #expect(try all(Self.ada, in: store).map(\.header.key) == ["d", "b", "c"])
    }

    @Test(arguments: StoreEngine.installed)
    func `a list is read in steps where there are many scenes`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        let commits = (0..<1_200).map { number in
            Self.scene("\(number)", number % 3 == 0 ? "principal ada" : "unix", nil, used: Int64(number))
        }
        try place.write(commits.flatMap(\.self))
        let store = try place.open()
        defer { store.close() }
        let expected = (0..<1_200).reversed().filter { $0 % 3 == 0 }.map { "\($0)" }
        let listed = try all(Self.filter("principal ada", ["principal ada"], count: 1_000), in: store)
        #expect(listed.map(\.header.key) == expected)
    }

    @Test(.enabled(if: RedisServer.isInstalled))
    func `a list names the server that has a scene, and takes none`() throws {
        let place = try StorePlace(.redis)
        let one = try place.open()
        try one.commit(Self.scene("a", "principal ada", nil))
        let two = try place.open()
        #expect(try all(Self.ada, in: two).map(\.holder) == [one.holder])
        #expect(throws: StoreError.self) { try two.scene(withSessionKey: "a") }
        try one.checkOwner(of: "a")
        try one.release("a")
        #expect(try all(Self.ada, in: two).map(\.holder) == [nil])
        // Taken, as it was listed and not taken.
        #expect(try one.scene(withSessionKey: "a") != nil)
        one.close()
        #expect(try all(Self.ada, in: two).map(\.holder) == [nil])
        two.close()
    }

    @Test func `a file of an earlier server gets the index, and that server goes on with the file`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.db")
        try SQLiteStore(path: path, durability: .process).close()
        try OtherConnection(path).execute("DROP INDEX sceneOwner")
        let reader = try SQLiteStore(reading: path)
        #expect(try reader.scenes(for: Self.ada, from: 0).scenes.isEmpty)
        let store = try SQLiteStore(path: path, durability: .process)
        defer { store.close() }
        try store.commit(Self.scene("a", "principal ada", nil, used: 1))
        // As an earlier server writes.
        try OtherConnection(path).execute("UPDATE scene SET used = 5 WHERE owner = 'principal ada'")
        #expect(try store.scenes(for: Self.ada, from: 0).scenes.map(\.header.used) == [5])
        // Fails where the index isn't there.
        try OtherConnection(path).execute("DROP INDEX sceneOwner")
    }
}
