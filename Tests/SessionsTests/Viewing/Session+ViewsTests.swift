import Synchronization
import Testing
import TestSupport

@testable import Sessions

@Suite(.inTurn) struct SessionViewsTests {
    private let session = Session()
    private let viewer = TestViewer()

    private func append(_ numbers: ClosedRange<Int>, to session: Session) {
        for number in numbers { session.append("e\(number)") }
    }

    @Test func `a new view gets all events as a snapshot, then the next one`() async throws {
        append(1...3, to: session)
        let attachment = try await session.attached(viewer)
        #expect(attachment.newest == 3)
        #expect(attachment.snapshotTexts == ["e1", "e2", "e3"])
        append(4...4, to: session)
        #expect(session.taken(attachment.view) == ["4 e4"])
    }

    @Test func `the first view gets an empty snapshot`() async throws {
        let attachment = try await session.attached(viewer)
        #expect(attachment.newest == 0)
        #expect(attachment.snapshotTexts == [])
    }

    @Test(arguments: 0...5)
    func `a view that comes back gets exactly what it hasn't seen`(since: Int) async throws {
        append(1...5, to: session)
        let attachment = try await session.attached(viewer, number: 1, client: nil, since: since)
        #expect(attachment.snapshot == nil)
        #expect(attachment.newest == 5)
        append(6...7, to: session)
        #expect(session.taken(attachment.view) == (since + 1...7).map { "\($0) e\($0)" })
        #expect(session.taken(attachment.view) == [])
    }

    @Test func `a view that leaves for good ends the session that nobody else holds, now`() throws {
        let ends = Recorder<String>()
        let session = Session(ends: ends)
        let views = try (1...2).map { try session.attach(viewer, number: $0, client: nil).view }
        session.detach(views[0], endsWithLast: true)
        #expect(!session.hasEnded)
        session.detach(views[1], endsWithLast: true)
        #expect(session.hasEnded)
        #expect(ends.elements == ["key"])
    }

    @Test func `a client's name has a bound, since the session keeps it`() throws {
        let session = Session(limits: .with { $0.clientBytes = 3 })
        _ = try session.attach(viewer, number: 1, client: "abc")
        #expect(throws: SessionError.invalid(member: "client", reason: "a name has at most 3 bytes")) {
            try session.attach(viewer, number: 2, client: "ab\u{e9}")
        }
    }

    @Test(arguments: [-1, Int.min, 6, Int.max])
    func `a number that never was is refused`(since: Int) async throws {
        append(1...5, to: session)
        await #expect(
            throws: SessionError.invalid(
                member: "since", reason: "\(since) is not between 0 and 5, the newest number")
        ) { try await session.attached(viewer, number: 1, client: nil, since: since) }
        #expect(session.summary.views == 0)
    }

    @Test func `events that have gone can't be replayed, and the error names the oldest that can`() async throws {
        let session = Session(limits: .with { $0.replayEvents = 4 })
        append(1...10, to: session)
        for since in [nil, 0, 1, 5] {
            await #expect(throws: SessionError.replayUnavailable(oldest: 7)) {
                try await session.attached(viewer, number: 1, client: nil, since: since)
            }
        }
        let attachment = try await session.attached(viewer, number: 1, client: nil, since: 6)
        #expect(session.taken(attachment.view) == (7...10).map { "\($0) e\($0)" })
    }

    @Test func `events stay for a slow view until it has them, and for no longer`() async throws {
        let session = Session(limits: .with { $0.replayEvents = 2 })
        let view = try session.attach(viewer, number: 1, client: nil).view
        append(1...100, to: session)
        #expect(session.taken(view).count == 100)
        await #expect(throws: SessionError.replayUnavailable(oldest: 99)) {
            try await session.attached(viewer, number: 1, client: nil, since: 97)
        }
    }

    @Test func `a view that doesn't read is ended without a word to the others, and may come back`() async throws {
        let session = Session(limits: .with { $0.viewBytes = 10 })
        let slow = try session.attach(viewer, number: 1, client: nil).view
        let fastViewer = TestViewer()
        let fast = try session.attach(fastViewer, number: 2, client: nil).view
        var got: [String] = []
        for number in 1...9 {
            append(number...number, to: session)
            got += session.taken(fast)
        }
        #expect(got == (1...9).map { "\($0) e\($0)" })
        #expect(fastViewer.views.elements.count == 9)
        #expect(viewer.views.elements == [1])
        #expect(session.take(slow).end == .overflow)
        #expect(!session.hasEnded)
        let back = try await session.attached(viewer, number: 3, client: nil, since: 0)
        #expect(session.taken(back.view).count == 9)
    }

    @Test func `a thousand names that number nothing leave nothing behind, and refuse nobody`() throws {
        let session = Session(limits: .with { $0.clients = 2 })
        for number in 1...1_025 {
            let attachment = try session.attach(viewer, number: number, client: "\(number)")
            #expect(attachment.handled == 0)
            session.detach(attachment.view)
        }
        #expect(session.state.withLock { $0.inbox.clients.count } == 0)
    }

    @Test func `of names that have numbered those give way whose views have been gone longest`() async throws {
        let session = Session(limits: .with { $0.clients = 2 })
        func handled(_ client: String) throws -> Int? {
            let attachment = try session.attach(viewer, number: 1, client: client)
            session.detach(attachment.view)
            return attachment.handled
        }
        var views: [String: Int] = [:]
        for client in ["a", "b", "c"] {
            let view = try session.attach(viewer, number: 1, client: client).view
            #expect(await session.outcome(from: view, number: 1) == "handled 0")
            views[client] = view
        }
        // All three have views, so none is forgotten.
        session.detach(try #require(views["b"]))
        #expect(try handled("b") == nil, "it was forgotten when its view went, as there was one too many")
        session.detach(try #require(views["a"]))
        session.detach(try #require(views["c"]))
        #expect(try handled("a") == 1)
        let late = try session.attach(viewer, number: 1, client: "d")
        #expect(late.handled == nil, "it may be one that was forgotten")
        #expect(await session.outcome(from: late.view, number: 1) == "handled 0")
        #expect(try handled("c") == nil, "a has had a view since")
        #expect(try handled("a") == 1)
        #expect(try handled("d") == 1)
    }

    @Test func `a client that attaches again ends its view before, which can number nothing any more`() async throws {
        let views = try (1...3).map { try session.attach(viewer, number: $0, client: $0 == 3 ? "other" : "me").view }
        #expect(viewer.views.elements == [1])
        let early = await session.outcome(from: views[0], number: 1)
        #expect(early == "replaced")
        #expect(session.take(views[0]).end == .replaced)
        #expect(session.take(views[1]).end == nil)
        #expect(await session.outcome(from: views[1], number: 1) == "handled 0")
        #expect(try session.attach(viewer, number: 4, client: "me").handled == 1)
        #expect(session.summary.views == 3, "one replaced that isn't told yet, the newest, and the other")
    }

    @Test func `a view that is replaced while its snapshot is made is attached, and then told of its end`() async throws
    {
        let session = Session(model: ScriptedModel())
        let outcome = Recorder<String>()
        let attaching = try session.attach(viewer, number: 1, client: "me", since: nil, isPatient: true) { result in
            if case .failure(let error) = result { outcome.record("\(error)") } else { outcome.record("attached") }
        }
        guard case .waits(let waiting) = attaching else {
            Issue.record("\(attaching)")
            return
        }
        let newer = try session.attach(viewer, number: 2, client: "me").view
        #expect(session.take(waiting).end == nil, "it isn't answered yet")
        session.makeSnapshot(for: waiting)
        #expect(await outcome.elements(count: 1) == ["attached"])
        #expect(session.take(waiting).end == .replaced)
        #expect(session.take(newer).end == nil)
        #expect(session.summary.views == 1)
    }

    @Test func `a view that was taken off has nothing more`() throws {
        let views = try (1...2).map { try session.attach(viewer, number: $0, client: nil).view }
        append(1...1, to: session)
        session.detach(views[0])
        #expect(session.taken(views[0]) == [])
        #expect(session.taken(views[1]) == ["1 e1"])
        #expect(session.summary == (1, 1))
    }

    @Test func `an event may be taken in parts, before an answer`() throws {
        let view = try session.attach(viewer, number: 1, client: nil).view
        append(1...3, to: session)
        #expect(session.taken(view, upTo: 2) == ["1 e1", "2 e2"])
        #expect(session.taken(view, maximumBytes: 1) == ["3 e3"])
    }
}
