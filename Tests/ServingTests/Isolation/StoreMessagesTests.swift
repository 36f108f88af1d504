import Sessions
import Testing

@testable import Serving

/// What a server and the process of a client say to each other of their store.
@Suite struct StoreMessagesTests {
    private static let header = StoredSession.Header(
        key: "s", scene: "r", viewModel: "orders", arguments: Array("{}".utf8), argumentsVersion: 2, shownBy: .present,
        isDurable: false)
    private static let turn = {
        var turn = StoredTurn(
            session: "é\u{1F600}", newest: 7, lost: 3, hasAllEvents: true, isStarted: false, savedVersion: -1)
        turn.entries = [
            StoredEntry(number: 6, key: nil, content: .event(Array("1".utf8))),
            StoredEntry(number: 7, key: "", content: .event([])),
        ]
        turn.entries += NavigationChange.Kind.allCases.enumerated().map { offset, kind in
            let child = NavigationChild(key: "c", viewModel: "details")
            return StoredEntry(number: 8 + offset, key: "k", content: .navigation(NavigationChange(kind, child)))
        }
        turn.clients = [ClientNumber(client: "", number: .max), ClientNumber(client: "a", number: 0)]
        turn.hasForgottenClients = true
        turn.notes = SessionNotes(
            unhandled: [UnhandledEvent(ClientNumber(client: "a", number: 1), .failed("so"))],
            unsent: UnsentEvent(newest: 2, key: nil))
        turn.saved = [SavedValue(name: "", text: Array("null".utf8)), SavedValue(name: "gone", text: [])]
        return turn
    }()
    private static let scene = {
        var epochs = SessionEpochs()
        epochs.begin("x", at: 4)
        var session = StoredSession(header: header, turn: turn, epochs: epochs)
        session.missing = "its log"
        let other = StoredSession.Header(key: "r", scene: "r", viewModel: "orders", arguments: nil)
        var scene = StoredScene(
            header: .init(key: "r", owner: "127.0.0.1", once: "o", used: .min),
            sessions: [
                StoredSession(
                    header: other,
                    turn: StoredTurn(
                        session: "r", newest: 0, lost: 0, hasAllEvents: true, isStarted: true, savedVersion: 1)),
                session,
            ], shared: [SavedValue(name: "board", text: Array("[]".utf8))])
        scene.missing = "more"
        return scene
    }()
    private static let holder = SceneHolder(server: "2", address: nil, description: "process 12")
    private static let listed = ListedScene(
        header: scene.header, viewModel: "orders", arguments: Array("{}".utf8), title: "é", holder: holder)
    private static let unnamed = ListedScene(header: scene.header, viewModel: "", arguments: nil, title: nil)
    private static let errors: [StoreError] = [
        .unavailable("a"), .inaccessible("b"), .takenOver("c"), .unusable("d"), .held(holder), .lost("e"),
        .incomplete("f"), .held(SceneHolder(server: "2", address: "h:1", description: "")),
    ]

    private static let requests: [StoreRequest] = [
        .commit(
            number: 1, life: 2, scene: "r",
            changes: [
                .addScene(scene.header), .addSession(header), .turn(turn), .removeSession(key: "s"),
                .useScene(key: "r", time: .max, ahead: 60), .share(scene: "r", values: scene.shared),
            ]),
        .commit(number: .max, life: .min, scene: "", changes: []),
        .release(life: 3, scene: "r"), .load(number: 4, query: .session(key: "s")),
        .load(number: 5, query: .opening(once: "o")), .load(number: 6, query: .owner(scene: "r")), .leave,
        .list(number: 7, filter: SceneFilter(person: "p", owners: ["o", ""], maximumCount: 3, maximumBytes: .max)),
        .list(number: 8, filter: SceneFilter(person: nil, owners: [], maximumCount: 0, maximumBytes: 0)),
    ]
    private static let answers: [StoreAnswer] =
        [
            .stored(number: 1, .stored), .stored(number: 2, .refused("no")), .stored(number: 3, .lost("gone")),
            .loaded(number: 4, .success(nil)), .loaded(number: 5, .success(scene)), .failure(nil), .lapsed,
            .wanted(scene: "r"), .listed(number: 1, .success([])), .listed(number: 2, .failure(.unavailable("a"))),
            .listed(number: 3, .success([listed, unnamed])),
        ] + errors.flatMap { [.loaded(number: 6, .failure($0)), .failure($0)] }

    @Test func `what is said comes as it was`() throws {
        for request in Self.requests {
            let read = try request.message.withUnsafeBytes { try StoreRequest(message: $0) }
            #expect("\(read)" == "\(request)")
        }
        for answer in Self.answers {
            let read = try answer.message.withUnsafeBytes { try StoreAnswer(message: $0) }
            #expect("\(read)" == "\(answer)")
        }
        #expect(StoreChannelHello(StoreChannelHello(leaseTime: .seconds(3)).payload)?.leaseTime == .seconds(3))
    }

    @Test func `the channel of a client isn't taken for that of the store`() {
        let client = RelayedClient(peer: "p", principal: nil, program: nil, person: "user 1", owner: "o", lastView: 1)
        #expect(StoreChannelHello(client.text) == nil)
        #expect(StoreChannelHello(Array("store x".utf8)) == nil)
        #expect(RelayedClient.read(StoreChannelHello(leaseTime: .zero).payload) == nil)
    }

    @Test func `what is cut, is longer, or has wrong counts is no message`() {
        for message in Self.requests.map(\.message) {
            for count in 0..<message.count {
                #expect(throws: StoreMessageReader.Malformed.self) {
                    try message.prefix(count).withUnsafeBytes { try StoreRequest(message: $0) }
                }
            }
            #expect(throws: StoreMessageReader.Malformed.self) {
                try (message + [0]).withUnsafeBytes { try StoreRequest(message: $0) }
            }
        }
        // A commit of so many changes.
        for count in [-1, Int.max, 1 << 40] {
            var writer = StoreMessageWriter()
            for number in [0, 1, 2] { writer.append(number) }
            writer.append("r")
            writer.append(count)
            let message = writer.bytes
            #expect(throws: StoreMessageReader.Malformed.self) {
                try message.withUnsafeBytes { try StoreRequest(message: $0) }
            }
        }
    }

    /// Such as the highest byte of a number, which makes it the least of all.
    @Test func `a message with one byte at its bounds is read or refused`() {
        for message in Self.requests.map(\.message) {
            for index in message.indices {
                for byte in [0, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var changed = message
                    changed[index] = byte
                    changed.withUnsafeBytes { _ = try? StoreRequest(message: $0) }
                }
            }
        }
    }

    @Test func `any bytes are read or refused`() {
        var random = SystemRandomNumberGenerator()
        for message in Self.requests.map(\.message) {
            for _ in 0..<300 {
                var changed = message
                for _ in 0...Int.random(in: 0...3, using: &random) {
                    let index = changed.indices.randomElement(using: &random) ?? 0
                    changed[index] = UInt8.random(in: 0 ... .max, using: &random)
                }
                changed.withUnsafeBytes { _ = try? StoreRequest(message: $0) }
            }
        }
    }
}
