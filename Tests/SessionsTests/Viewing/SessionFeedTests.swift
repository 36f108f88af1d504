import Sessions
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn) struct SessionFeedTests {
    private let viewer = TestViewer()

    /// Appends events of ten bytes each.
    private func append(_ count: Int = 1, to session: Session, bytes: Int = 10) {
        for _ in 0..<count { session.append([UInt8](repeating: 0x30, count: bytes)) }
    }

    /// A view that goes on from the newest number.
    private func attach(to session: Session, number: Int = 1) throws -> Int {
        try session.attach(viewer, number: number, client: nil).view
    }

    /// The oldest event that is kept. An event before it must have gone.
    private func oldest(in session: Session) async -> Int? {
        let error = await #expect(throws: SessionError.self) { try await session.attached(TestViewer(), since: 0) }
        guard case .replayUnavailable(let oldest, _)? = error else { return nil }
        return oldest
    }

    @Test func `a view is told once until it has taken all`() throws {
        let session = Session()
        let view = try attach(to: session, number: 7)
        append(3, to: session)
        #expect(viewer.views.elements == [7])
        let part = session.take(view, upTo: 2)
        #expect(part.events.map(\.number) == [1, 2])
        #expect(part.hasMore)
        append(to: session)
        #expect(viewer.views.elements == [7])
        let rest = session.take(view)
        #expect(rest.events.map(\.number) == [3, 4])
        #expect(!rest.hasMore)
        append(to: session)
        #expect(viewer.views.elements == [7, 7])
    }

    @Test(arguments: [(0, [1]), (1, [1]), (10, [1]), (11, [1, 2]), (20, [1, 2]), (1_000, [1, 2, 3])])
    func `bytes bound what is taken at once, but one event always is`(maximumBytes: Int, expected: [Int]) throws {
        let session = Session()
        let view = try attach(to: session)
        append(3, to: session)
        let delivery = session.take(view, maximumBytes: maximumBytes)
        #expect(delivery.events.map(\.number) == expected)
        #expect(delivery.hasMore == (expected.count < 3))
    }

    @Test func `events of one turn say that more follow, and none says what came before it`() throws {
        let turns = SharedTurn()
        let session = Session(turn: { turns.value })
        let view = try attach(to: session)
        for turn: UInt64 in [1, 1, 2, 0, 0] {
            turns.value = turn
            append(to: session)
        }
        let events = session.take(view).events
        #expect(events.map(\.isFollowedAtOnce) == [true, false, false, false, false])
        #expect(events.map(\.after) == [nil, nil, nil, nil, nil])
    }

    @Test(arguments: [(3, nil), (4, EndReason.overflow)])
    func `a view that doesn't read ends when more than its bound waits, and no other does`(
        count: Int, end: EndReason?
    ) throws {
        let session = Session(limits: .with { $0.viewBytes = 25 })
        let (slow, fast) = (try attach(to: session, number: 1), try attach(to: session, number: 2))
        for number in 1...count {
            append(to: session)
            let delivery = session.take(fast)
            #expect(delivery.events.map(\.number) == [number])
            #expect(delivery.end == nil)
        }
        let delivery = session.take(slow)
        #expect(delivery.end == end)
        #expect(delivery.events.count == (end == nil ? count : 0))
        #expect(session.summary.views == (end == nil ? 2 : 1))
    }

    @Test func `one event of any size ends no view that reads`() throws {
        let session = Session(limits: .with { $0.viewBytes = 25 })
        let view = try attach(to: session)
        for _ in 0..<2 {
            append(to: session, bytes: 1_000)
            let delivery = session.take(view)
            #expect(delivery.events.count == 1)
            #expect(delivery.end == nil)
        }
    }

    @Test func `a view that was ended is told, though it knew already of other events`() throws {
        let session = Session(limits: .with { $0.viewBytes = 0 })
        let view = try attach(to: session)
        append(3, to: session)
        #expect(viewer.views.elements == [1])
        #expect(session.take(view).end == .overflow)
    }

    @Test func `events are kept for the slowest view, and beyond the bounds only for it`() async throws {
        let session = Session(limits: .with { $0.replayEvents = 2 })
        let (slow, fast) = (try attach(to: session, number: 1), try attach(to: session, number: 2))
        append(10, to: session)
        #expect(session.take(fast).events.count == 10)
        let late = try await session.attached(TestViewer(), since: 0).view
        session.detach(late)
        #expect(session.take(slow, upTo: 4).events.count == 4)
        #expect(await oldest(in: session) == 5)
        session.detach(slow)
        #expect(await oldest(in: session) == 9)
        session.detach(slow)
        #expect(session.summary.views == 1)
    }

    @Test func `a view that overflowed holds nothing back, also before it reads so`() async throws {
        let session = Session(
            limits: .with {
                $0.replayEvents = 2
                $0.viewBytes = 15
            })
        _ = try attach(to: session)
        append(10, to: session)
        #expect(await oldest(in: session) == 9)
    }

    @Test func `the end comes after the events, once, and nothing is numbered after it`() throws {
        let session = Session()
        let view = try attach(to: session)
        append(2, to: session)
        session.end(.failed)
        session.end(.closed)
        append(to: session)
        #expect(viewer.views.elements == [1])
        let first = session.take(view, upTo: 1)
        #expect(first.events.map(\.number) == [1])
        #expect(first.end == nil)
        let last = session.take(view)
        #expect(last.events.map(\.number) == [2])
        #expect(last.end == .failed)
        #expect(session.summary.newest == 2)
    }

    @Test func `a view that isn't there has nothing`() {
        let session = Session()
        append(to: session)
        let delivery = session.take(1)
        #expect(delivery.events.isEmpty && delivery.end == nil && !delivery.hasMore)
    }
}

/// The turn that a session's events are sent in.
private final class SharedTurn: Sendable {
    private let turn = Mutex<UInt64>(0)

    var value: UInt64 {
        get { turn.withLock { $0 } }
        set { turn.withLock { $0 = newValue } }
    }
}
