import Sessions
import Testing
import TestSupport

@Suite(.inTurn) struct SessionAndLogTests {
    private let session = Session()
    private let viewer = TestViewer()

    private func append(_ text: String, key: String? = nil) {
        session.append(Array(text.utf8), key: key)
    }

    @Test func `a view that keeps up gets every event, superseded or not`() throws {
        let view = try session.attach(viewer, number: 1, client: nil).view
        for number in 1...64 { append("k\(number)", key: "k") }
        #expect(session.taken(view) == (1...64).map { "\($0) k\($0)" })
        append("k65", key: "k")
        #expect(session.take(view).events.map(\.after) == [nil])
    }

    @Test func `a view that falls behind gets the newest of each key and all without, and is told what is missing`()
        throws
    {
        let view = try session.attach(viewer, number: 1, client: nil).view
        append("first")
        for number in 1...1_000 {
            append("a\(number)", key: "a")
            append("b\(number)", key: "b")
            if number == 500 { append("middle") }
        }
        append("last")
        let delivery = session.take(view)
        #expect(delivery.texts == ["1 first", "1002 middle", "2001 a1000", "2002 b1000", "2003 last"])
        #expect(delivery.events.map(\.after) == [nil, 1, 1_002, nil, nil])
    }

    @Test func `a view behind a large event gets the newest of each key`() throws {
        let view = try session.attach(viewer, number: 1, client: nil).view
        append(String(repeating: "x", count: 256 * 1_024 + 1))
        append("a1", key: "a")
        append("a2", key: "a")
        #expect(session.take(view).events.map(\.number) == [1, 3])
    }

    @Test func `one view that keeps up has every event, and another that doesn't is held to none of them`() throws {
        let slow = try session.attach(viewer, number: 1, client: nil).view
        let fast = try session.attach(TestViewer(), number: 2, client: nil).view
        for number in 1...1_000 {
            append("a\(number)", key: "a")
            if number % 3 == 0 { #expect(session.taken(fast).count == 3) }
        }
        #expect(session.taken(fast) == ["1000 a1000"])
        #expect(session.taken(slow) == ["1000 a1000"])
    }

    @Test func `superseded events end no view`() throws {
        let session = Session(limits: .with { $0.viewBytes = 1_000_000 })
        let view = try session.attach(viewer, number: 1, client: nil).view
        for number in 1...100 { session.append([UInt8](repeating: UInt8(number), count: 900_000), key: "k") }
        #expect(session.eventBytes(of: view) == (900_000, 90_000_000))
        let delivery = session.take(view)
        #expect(delivery.end == nil)
        #expect(delivery.events.map(\.number) == [100])
        #expect(delivery.events.map(\.after) == [0])
        #expect(session.eventBytes(of: view).waiting == 0)
    }

    @Test func `a view that comes back is told the newest of each key, also from before what was superseded`()
        async throws
    {
        let session = Session(limits: .with { $0.replayEvents = 2 })
        for number in 1...100 { session.append(Array("a\(number)".utf8), key: "a") }
        session.append("b")
        for since in [0, 50, 99] {
            let view = try await session.attached(viewer, number: 1, client: nil, since: since).view
            let delivery = session.take(view)
            #expect(delivery.texts == ["100 a100", "101 b"])
            #expect(delivery.events.map(\.after) == [since == 99 ? nil : since, nil])
            session.detach(view)
        }
    }

    @Test func `an event whose follower was superseded says that the one after that follows`() async throws {
        let session = Session(model: ScriptedModel(), turn: { 7 })
        session.append("first")
        session.append(Array("a1".utf8), key: "a")
        session.append(Array("a2".utf8), key: "a")
        let view = try await session.attached(viewer, number: 1, client: nil, since: 0).view
        #expect(session.take(view).events.map(\.isFollowedAtOnce) == [true, false])
    }

    @Test func `a change of the navigation is numbered among the events, and its views are woken`() throws {
        let stage = try Stage()
        let view = try stage.root.attach(viewer, number: 5, client: nil).view
        stage.root.append("e1")
        _ = stage.root.taken(view)
        _ = try stage.push()
        #expect(viewer.views.elements == [5, 5])
        #expect(stage.root.taken(view) == ["2 push 1"])
        stage.root.end(.closed)
    }
}
