import JSON
import Sessions
import Synchronization
import Testing
import TestSupport
import ViewModels

@Suite(.inTurn) struct HostedModelTests {
    private let viewer = TestViewer()

    private func session(_ model: HostedModel) throws -> Session { try Session.of { AnyViewModel(model) } }

    @Test func `events go out flat and numbered, what start sends included`() async throws {
        let session = try session(HostedModel())
        let view = try session.attach(viewer, number: 1, client: nil).view
        #expect(await session.opened() == ["ready", "started"])
        let handle = try session.decoded(#"{"kind":"add","value":7}"#)
        #expect(await session.outcome(from: view, of: handle) == "handled 2")
        #expect(session.taken(view) == [#"1 {"kind":"sum","value":0}"#, #"2 {"kind":"sum","value":7}"#])
    }

    @Test func `nothing that start sends comes before it is ready`() async throws {
        let session = try session(HostedModel())
        _ = try session.attach(viewer, number: 1, client: nil)
        let newest = Recorder<Int>()
        let isOver = Gate()
        _ = session.open(
            ready: { newest.record(session.summary.newest) }, failed: { _ in }, started: { isOver.open() })
        await isOver.wait()
        #expect(newest.elements == [0])
        #expect(session.summary.newest == 1)
    }

    @Test(arguments: [0, 1, 3])
    func `events that were sent in init are lost, and the person who runs the server hears of it`(count: Int)
        async throws
    {
        let warnings = Recorder<String>()
        let context = SessionContext(
            executor: globalConcurrentExecutor, limits: SharedLimits(Limits()), warn: { warnings.record($0) })
        let shared = HostedModel()
        for number in 0..<count { shared.output.send(.sum(number)) }
        var registry = Registry()
        registry.add("test") { shared }
        // The second session shares the view model, whose later events weren't lost.
        for key in ["first", "second"] {
            let model = try #require(
                try registry.sessionModel("test", arguments: nil, at: .root, in: Container()))
            let session = Session(key: key, viewModelName: "test", model: model, context: context)
            _ = try session.attach(viewer, number: 1, client: nil)
            _ = await session.opened()
        }
        let events = count == 1 ? "an event" : "\(count) events"
        let warning = "test sent \(events) in init, which no View gets; send in start()"
        #expect(warnings.elements == (count == 0 ? [] : [warning]))
    }

    @Test func `an output or an event of changes that is made anew for each who asks is named`() async throws {
        let warnings = Recorder<String>()
        let context = SessionContext(
            executor: globalConcurrentExecutor, limits: SharedLimits(Limits()), warn: { warnings.record($0) })
        var registry = Registry()
        registry.add("output") { NewOutput() }
        registry.add("changed") { NewEvent() }
        for name in ["output", "changed"] {
            let model = try #require(try registry.sessionModel(name, arguments: nil, at: .root, in: Container()))
            let session = Session(key: name, viewModelName: name, model: model, context: context)
            _ = try session.attach(viewer, number: 1, client: nil)
            _ = await session.opened()
        }
        let words = "is another object each time, and reaches no View: make it a let"
        #expect(warnings.elements == ["output: its output \(words)", "changed: its changed \(words)"])
    }

    @Test func `a job is called as the client called the event, whatever that says of itself`() throws {
        let long = String(repeating: "x", count: 101)
        for (session, event, name) in [
            (try Session.of { Mute<Chatty>() }, #"{"kind":"go"}"#, "go"),
            (try Session.of { Mute<Chatty>() }, #"{"kind":"wait","value":1}"#, "wait"),
            (try Session.of { Mute<Word>() }, #"{"kind":"left"}"#, "left"),
            (try Session.of { Mute<Word>() }, #"{"kind":"\#(long)"}"#, "Word"),
            (try Session.of { Mute<Plain>() }, #"{"kind":"any","x":1}"#, "any"),
            (try Session.of { Mute<Plain>() }, #"{"kind":1}"#, "Plain"),
        ] {
            #expect(try session.decode(event).name == name)
        }
    }

    @Test(.serialized, arguments: [#"{"kind":"sends"}"#, #"{"kind":"sendsBySchedule"}"#])
    func `what an event's own code sends while it is read comes before the handler's events`(event: String) async throws
    {
        let session = try Session.of { Sender() }
        let view = try session.attach(viewer, number: 1, client: nil).view
        _ = await session.opened()
        let isOver = Gate()
        let job = try session.decode(event) { _ in isOver.open() }
        _ = try session.submit(job, from: view, number: nil)
        await isOver.wait()
        #expect(session.taken(view) == [#"1 {"kind":"read"}"#, #"2 {"kind":"handled"}"#])
    }

    @Test func `a handler's failure is the outcome`() async throws {
        let session = try session(HostedModel())
        let view = try session.attach(viewer, number: 1, client: nil).view
        _ = await session.opened()
        #expect(
            await session.outcome(from: view, of: try session.decoded(#"{"kind":"fail"}"#)) == "failed TestFailure()")
    }

    @Test(arguments: [
        (#"{"kind":"add"}"#, "/value"), (#"{"kind":"add","value":"x"}"#, "/value"),
        (#"{"kind":"other"}"#, "/kind"), ("{}", "/kind"), ("3", ""),
        (#"{"kind":"set","value":null}"#, "/value"),
    ])
    func `an event that doesn't fit is refused with its path`(event: String, path: String) async throws {
        let session = try session(HostedModel())
        let job = try session.decode(event)
        let error = await #expect(throws: UndecodedEvent.self) { try await job.handle() }
        #expect(error?.error.path.description == path)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `an event that JSON can't express is reported and takes no number`(value: Double) async throws {
        let model = HostedModel()
        let session = try session(model)
        let view = try session.attach(viewer, number: 3, client: nil).view
        _ = await session.opened()
        model.output.send(.ratio(value))
        model.output.send(.ratio(0.5))
        #expect(session.taken(view) == [#"1 {"kind":"sum","value":0}"#, #"2 {"kind":"ratio","value":0.5}"#])
        #expect(viewer.reports.elements.count == 1)
        #expect(viewer.reports.elements[0].hasPrefix("3: test sent an event that JSON can't express: /value: "))
    }

    @Test func `the answer waits for what another thread still delivers`() async throws {
        let model = HostedModel()
        let session = try session(model)
        let isDelivering = Gate()
        let mayGoOn = Gate()
        // Subscribed before the session is, so its event isn't in the log while this one is held.
        let subscription = model.output.subscribe { event in
            guard event == .sum(100) else { return }
            isDelivering.open()
            mayGoOn.block()
        }
        let view = try session.attach(viewer, number: 1, client: nil).view
        _ = await session.opened()
        async let delivery: Void = onThread { model.output.send(.sum(100)) }
        await isDelivering.wait()
        let outcomes = Recorder<String>()
        let hasReturned = Gate()
        let handle = try session.decoded(#"{"kind":"add","value":1}"#)
        _ = try session.submit(
            ClosureJob(
                handle: {
                    try await handle()
                    hasReturned.open()
                }, complete: { outcomes.record($0.text) }), from: view, number: nil)
        await hasReturned.wait()
        #expect(outcomes.elements.isEmpty)
        mayGoOn.open()
        #expect(await outcomes.elements(count: 1) == ["handled 3"])
        #expect(session.taken(view).last == #"3 {"kind":"sum","value":1}"#)
        await delivery
        withExtendedLifetime(subscription) {}
    }

    @Test func `a view model that couldn't be made fails the opening`() async throws {
        let session = try Session.of { () async throws -> HostedModel in throw TestFailure() }
        #expect(await session.opened() == ["failed: failed TestFailure()", "started"])
    }

    @Test func `a view model that was made for a session that had ended isn't started`() async throws {
        let model = HostedModel()
        let isMaking = Gate()
        let mayGoOn = Gate()
        let made = Mutex<Weak<AnyViewModel<HostedOutput, HostedInput>>?>(nil)
        let session = try Session.of {
            isMaking.open()
            await mayGoOn.wait()
            let erased = AnyViewModel(model)
            made.withLock { $0 = Weak(erased) }
            return erased
        }
        async let opened = session.opened()
        await isMaking.wait()
        session.end(.closed)
        _ = await opened
        mayGoOn.open()
        // Let go of when the session has looked at it.
        await until { made.withLock { $0 }.map { !$0.isAlive } ?? false }
        #expect(model.output.claimStart())
        model.output.send(.sum(1))
        #expect(session.summary.newest == 0)
    }

    @Test func `the view model goes with its session`() async throws {
        let ends = Recorder<String>()
        do {
            let session = try Session.of { AnyViewModel(HostedModel(ends: ends)) }
            let view = try session.attach(viewer, number: 1, client: nil).view
            _ = await session.opened()
            _ = await session.outcome(from: view, of: try session.decoded(#"{"kind":"add","value":7}"#))
            #expect(ends.elements.isEmpty)
            session.end(.closed)
        }
        #expect(await ends.elements(count: 1) == ["released"])
    }

    @Test func `a view model's own snapshot is what a late view gets, in step with the numbers`() async throws {
        let model = CountingModel()
        let session = try Session.of(limits: .with { $0.replayEvents = 1 }) { AnyViewModel(model) }
        let first = try session.attach(viewer, number: 1, client: nil).view
        _ = await session.opened()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask { for _ in 0..<300 { await model.handle(event: .add(1)) } }
            }
            for number in 2...100 {
                let attachment = try await session.attached(viewer, number: number)
                #expect(attachment.snapshotTexts == [#"{"kind":"sum","value":\#(attachment.newest)}"#])
                if let next = session.take(attachment.view).events.first {
                    #expect(next.number == attachment.newest + 1)
                }
                session.detach(attachment.view)
            }
            try await group.waitForAll()
        }
        #expect(session.taken(first).count == 900)
    }

    @Test func `a snapshot that JSON can't express is reported, and the events are shown instead`() async throws {
        let model = CountingModel()
        let session = try Session.of { AnyViewModel(model) }
        _ = try session.attach(viewer, number: 3, client: nil)
        _ = await session.opened()
        await model.handle(event: .set(value: .nan))
        let attachment = try await session.attached(viewer, number: 4)
        #expect(attachment.snapshotTexts == [])
        #expect(viewer.reports.elements.count == 2)
        #expect(viewer.reports.elements.contains { $0.hasPrefix("3: test made a snapshot that JSON can't express: ") })
    }

    @Test func `an event that is longer than a message is reported, and takes no number`() async throws {
        let model = PositionModel()
        let session = try Session.of(limits: .with { $0.messageBytes = 60 }) { model }
        let view = try session.attach(viewer, number: 1, client: nil).view
        _ = await session.opened()
        for text in ["a", String(repeating: "x", count: 60), "b"] { model.output.send(.said(text)) }
        #expect(session.taken(view) == [#"1 {"kind":"said","value":"a"}"#, #"2 {"kind":"said","value":"b"}"#])
        let message = "test sent an event of 86 bytes, which is dropped: a message has at most 60 bytes (messageBytes)"
        #expect(viewer.reports.elements == ["1: \(message)"])
    }

    @Test func `a snapshot that fails says why, where the events are lost too`() async throws {
        let model = CountingModel()
        let session = try Session.of(limits: .with { $0.replayEvents = 1 }) { AnyViewModel(model) }
        _ = try session.attach(viewer, number: 1, client: nil)
        _ = await session.opened()
        await model.handle(event: .fail)
        for _ in 0..<3 { await model.handle(event: .add(1)) }
        _ = session.take(1)
        await #expect(throws: SessionError.replayUnavailable(oldest: 3, reason: "TestFailure()")) {
            try await session.attached(viewer)
        }
    }

    @Test func `a view of a session whose view model isn't there yet gets an empty snapshot`() async throws {
        let mayGoOn = Gate()
        let session = try Session.of {
            await mayGoOn.wait()
            return AnyViewModel(HostedModel())
        }
        let first = try session.attach(viewer, number: 1, client: nil).view
        async let opened = session.opened()
        let attachment = try await session.attached(viewer)
        #expect(attachment.snapshotTexts == [])
        #expect(attachment.newest == 0)
        mayGoOn.open()
        _ = await opened
        for view in [first, attachment.view] { #expect(session.taken(view) == [#"1 {"kind":"sum","value":0}"#]) }
    }

    @Test func `the newest event of a key stands for those before it`() async throws {
        let model = PositionModel()
        let session = try Session.of { AnyViewModel(model) }
        _ = try session.attach(viewer, number: 1, client: nil)
        _ = await session.opened()
        session.detach(1)
        for position in 1...5 { model.output.send(.moved(position)) }
        model.output.send(.said("hello"))
        let view = try await session.attached(viewer, since: 0).view
        #expect(session.taken(view) == [#"5 {"kind":"moved","value":5}"#, #"6 {"kind":"said","value":"hello"}"#])
    }
}

private enum NoEvent: Codable, Sendable { case nothing }

private actor NewOutput: ViewModel {
    nonisolated var output: Output<NoEvent> { Output() }
    func handle(event: NoEvent) { output.send(.nothing) }
}

private actor NewEvent: NotifyingViewModel {
    nonisolated var changed: Event<Void> { Event() }
    var state = 0
    func handle(event: NoEvent) { changed.raise() }
}

private final class Mute<ViewEvent: Codable & Sendable>: ViewModel {
    let output = Output<HostedOutput>()
    func handle(event: ViewEvent) {}
}

private enum Chatty: Codable, CustomStringConvertible, CustomReflectable {
    case go
    case wait(Int)

    var description: String {
        Issue.record("asked for its description")
        return "chatty"
    }

    var customMirror: Mirror {
        Issue.record("asked for its mirror")
        return Mirror(self, children: [:])
    }
}

/// Takes any kind.
private struct Word: Codable, RawRepresentable { var rawValue: String }

/// Doesn't look at its kind.
private struct Plain: Codable { var x: Int }

/// Its events send while they are read.
private final class Sender: ViewModel {
    enum ViewEvent: Codable, ScheduledEvent {
        case sends
        case sendsBySchedule

        init(from decoder: any Decoder) throws {
            let kind = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .kind)
            self = kind == "sends" ? .sends : .sendsBySchedule
            if case .sends = self { Sender.shared.withLock { $0?.send(.read) } }
        }

        private enum Key: CodingKey { case kind }

        var schedule: EventSchedule {
            if case .sendsBySchedule = self { Sender.shared.withLock { $0?.send(.read) } }
            return .inOrder
        }
    }

    enum ViewModelEvent: Codable { case read, handled }

    fileprivate static let shared = Mutex<Output<ViewModelEvent>?>(nil)
    let output = Output<ViewModelEvent>()

    init() { Self.shared.withLock { [output] in $0 = output } }

    func handle(event: ViewEvent) { output.send(.handled) }
}
