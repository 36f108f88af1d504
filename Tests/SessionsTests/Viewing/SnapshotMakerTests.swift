import JSON
import Sessions
import Synchronization
import Testing
import TestSupport

@Suite(.inTurn) struct SnapshotMakerTests {
    private typealias Place = @Sendable (ModelSnapshot) -> Void

    private let viewer = TestViewer()
    private let places = Recorder<Place>()
    private let answers = Recorder<Result<Session.Attachment, SessionError>>()
    private let clock = ManualClock()

    /// A session whose snapshots are made when the test says so.
    private func session(_ limits: Limits = Limits()) -> Session {
        Session(model: ScriptedModel(onSnapshot: { [places] in places.record($0) }), limits: limits, clock: clock)
    }

    private func attach(_ session: Session, client: String? = nil) async throws -> (view: Int, place: Place) {
        let attaching = try session.attachMaking(viewer, number: 7, client: client) { [answers] in
            answers.record($0)
        }
        guard case .waits(let view) = attaching else { throw TestFailure() }
        return (view, await places.elements(count: 1)[0])
    }

    private func snapshot(_ texts: String...) -> ModelSnapshot {
        .events(SharedText(Array("[\(texts.joined(separator: ","))]".utf8)))
    }

    @Test func `a view gets the view model's own snapshot and then what comes after it, nothing else`() async throws {
        let session = session(.with { $0.replayEvents = 2 })
        let (view, place) = try await attach(session)
        for number in 1...5 { session.append("e\(number)") }
        #expect(session.taken(view) == [])
        #expect(viewer.views.elements == [])
        place(snapshot("a", "b"))
        let attachment = try answers.elements[0].get()
        #expect(attachment.view == view)
        #expect(attachment.newest == 5)
        #expect(attachment.snapshotTexts == ["a", "b"])
        session.append("e6")
        #expect(viewer.views.elements == [7])
        let delivery = session.take(view)
        #expect(delivery.texts == ["6 e6"])
        #expect(delivery.events.map(\.after) == [nil])
    }

    @Test func `a view that waits holds nothing back and isn't ended for what it can't read yet`() async throws {
        let session = session(.with { ($0.replayEvents, $0.viewBytes) = (2, 10) })
        let (view, place) = try await attach(session)
        for number in 1...100 { session.append("e\(number)") }
        for since in [97, 98] {
            let attaching = try session.attach(TestViewer(), number: 8, client: nil, since: since) { _ in }
            guard case .attached = attaching else {
                #expect(since == 97)
                continue
            }
            #expect(since == 98)
        }
        place(snapshot())
        session.append("e101")
        #expect(session.taken(view) == ["101 e101"])
    }

    @Test func `without one of its own a view gets all events, if none was lost, and no change of navigation`()
        async throws
    {
        let stage = try Stage()
        stage.root.append("e1")
        stage.root.append(Array("a1".utf8), key: "a")
        _ = try stage.push()
        stage.root.append(Array("a2".utf8), key: "a")
        let attachment = try await stage.root.attached(viewer, number: 7)
        #expect(attachment.snapshotTexts == ["e1", "a2"])
        #expect(attachment.newest == 4)
        #expect(stage.root.taken(attachment.view) == [])
        stage.root.end(.closed)
    }

    @Test(arguments: ["too busy", nil])
    func `with neither it is taken off again, and the session waits for others as before`(reason: String?) async throws
    {
        let session = session(.with { $0.replayEvents = 2 })
        for number in 1...5 { session.append("e\(number)") }
        let (view, place) = try await attach(session)
        place(.none(reason: reason))
        #expect(throws: SessionError.replayUnavailable(oldest: 4, reason: reason)) { try answers.elements[0].get() }
        #expect(session.summary.views == 0)
        #expect(session.taken(view) == [])
        await clock.sleepers(1)
        clock.advance(by: .seconds(180))
        await until { session.hasEnded }
    }

    @Test func `one that comes back from before what is kept gets a snapshot`() async throws {
        let session = session(.with { $0.replayEvents = 2 })
        for number in 1...5 { session.append("e\(number)") }
        async let attached = session.attached(viewer, since: 1)
        await places.elements(count: 1)[0](snapshot("s"))
        let attachment = try await attached
        #expect(attachment.snapshotTexts == ["s"])
        #expect(attachment.newest == 5)
    }

    @Test func `one that is detached while it waits is answered, once, and gets nothing`() async throws {
        let session = session()
        let (view, place) = try await attach(session)
        session.detach(view)
        place(snapshot("late"))
        #expect(answers.elements.count == 1)
        #expect(throws: SessionError.detached) { try answers.elements[0].get() }
        #expect(session.summary.views == 0)
        await clock.sleepers(1)
    }

    @Test func `giving up on one that waits takes it off, and on one that has arrived does nothing`() async throws {
        let session = session()
        let (view, place) = try await attach(session)
        session.cancelAttaching(view)
        #expect(throws: SessionError.detached) { try answers.elements[0].get() }
        place(snapshot())
        #expect(session.summary.views == 0)
        let arrived = try session.attach(viewer, number: 1, client: nil).view
        session.cancelAttaching(arrived)
        #expect(session.summary.views == 1)
    }

    @Test func `one that waits when the session ends is answered so, and not told of the end besides`() async throws {
        let session = session()
        let (view, place) = try await attach(session)
        session.end(.closed)
        place(snapshot("late"))
        #expect(answers.elements.count == 1)
        #expect(throws: SessionError.ended) { try answers.elements[0].get() }
        #expect(viewer.views.elements == [])
        #expect(session.take(view).end == nil)
    }

    @Test func `the task that makes a snapshot is cancelled when nobody waits for it any more`() async throws {
        let began = Gate()
        let cancellations = Recorder<Void>()
        let model = ScriptedModel(onSnapshot: { _ in
            await withTaskCancellationHandler {
                began.open()
                await until { Task.isCancelled }
            } onCancel: {
                cancellations.record(())
            }
        })
        let session = Session(model: model)
        let attaching = try session.attachMaking(viewer) { [answers] in answers.record($0) }
        guard case .waits(let view) = attaching else { throw TestFailure() }
        await began.wait()
        session.detach(view)
        #expect(await cancellations.elements(count: 1).count == 1)
    }

    @Test func `a view that waits keeps its session, and its events are handled`() async throws {
        let session = session()
        session.begin()
        let last = try session.attach(viewer, number: 1, client: nil).view
        let (view, place) = try await attach(session, client: "c")
        session.detach(last, endsWithLast: true)
        #expect(!session.hasEnded)
        #expect(await session.outcome(from: view, number: 1) == "handled 0")
        place(snapshot())
        #expect(try answers.elements[0].get().handled == 1)
    }

    @Test func `views that ask while a snapshot is made share it, and so do those that ask while it is sent`()
        async throws
    {
        let session = session()
        _ = try await attach(session)
        for number in 8...9 {
            let attaching = try session.attachMaking(viewer, number: number) { [answers] in
                answers.record($0)
            }
            guard case .waits = attaching else { throw TestFailure() }
        }
        session.append("e1")
        #expect(places.elements.count == 1)
        places.elements[0](snapshot("s"))
        let attachments = try answers.elements.map { try $0.get() }
        #expect(attachments.map(\.newest) == [1, 1, 1])
        let sent = try #require(attachments[0].snapshot)
        #expect(attachments.allSatisfy { $0.snapshot === sent })
        #expect(try await session.attached(viewer).snapshot === sent)
        #expect(places.elements.count == 1)
        // Not for another number.
        session.append("e2")
        async let late = session.attached(viewer)
        await places.elements(count: 2)[1](snapshot("t"))
        #expect(try await late.snapshotTexts == ["t"])
    }

    @Test func `a snapshot that isn't there in time is given up, and the view model isn't asked again meanwhile`()
        async throws
    {
        let session = session(.with { ($0.replayEvents, $0.snapshotTime) = (1, .seconds(7)) })
        for number in 1...3 { session.append("e\(number)") }
        let (_, place) = try await attach(session)
        await clock.sleepers(1)
        clock.advance(by: .seconds(7))
        let answer = await answers.elements(count: 1)[0]
        let reason = "it made none within 7.0 seconds"
        #expect(throws: SessionError.replayUnavailable(oldest: 3, reason: reason)) { try answer.get() }
        #expect(session.summary.views == 0)
        // The next view waits for the same call. That was cancelled, so it fails, and another is made.
        async let late = session.attached(viewer)
        await until { session.summary.views == 1 }
        #expect(places.elements.count == 1)
        place(.none(reason: "cancelled"))
        await places.elements(count: 2)[1](snapshot("s"))
        #expect(try await late.snapshotTexts == ["s"])
    }

    @Test func `a snapshot and its session are counted for as long as anybody holds them`() async throws {
        var limits = SharedLimits(Limits())
        do {
            let context = SessionContext(executor: globalConcurrentExecutor, limits: limits)
            let session = Session(
                key: "key", viewModelName: "test", model: ScriptedModel(), context: context)
            session.append(String(repeating: "x", count: 100_000))
            #expect(limits.kept.bytes >= 100_000)
            var attachment: Session.Attachment? = try await session.attached(viewer)
            #expect(attachment?.snapshot?.count == 100_002)
            #expect(limits.kept.bytes >= 200_000)
            attachment = nil
            #expect(limits.kept.bytes < 110_000)
            session.end(.closed)
        }
        await until { limits.kept.bytes == 0 }
        limits = SharedLimits(.with { $0.keptBytes = 10_000 })
        let context = SessionContext(executor: globalConcurrentExecutor, limits: limits)
        let session = Session(key: "key", viewModelName: "test", model: ScriptedModel(), context: context)
        // Of what nobody waits for little is kept, and a view that doesn't keep up is ended.
        let slow = try session.attach(viewer, number: 1, client: nil).view
        for _ in 0..<10 { session.append(String(repeating: "x", count: 50_000)) }
        #expect(session.take(slow).end == .overflow)
        session.append("e")
        #expect(limits.kept.bytes < 60_000)
    }

    @Test func `where the events are kept nothing has to be waited for`() throws {
        let session = session()
        session.append("e1")
        let attaching = try session.attach(viewer, number: 1, client: nil, since: 0) { _ in Issue.record("later") }
        guard case .attached(let attachment) = attaching else { throw TestFailure() }
        #expect(attachment.snapshot == nil)
        #expect(session.taken(attachment.view) == ["1 e1"])
    }
}
