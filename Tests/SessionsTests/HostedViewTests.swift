import JSON
import Synchronization
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite struct HostedViewTests {
    private let viewer = TestViewer()

    private func session(_ model: HostedModel) -> Session {
        Session(host: HostedView { AnyViewModel(model) })
    }

    private func handler(_ session: Session, _ event: String) throws -> @Sendable () async throws -> Void {
        try Array(event.utf8).withUnsafeBytes { try session.decode(JSONValue(validating: $0), at: "/event") }
    }

    @Test func `events go out flat and numbered, what start sends included`() async throws {
        let session = session(HostedModel())
        let view = try session.attach(viewer, number: 1, client: nil).view
        #expect(await session.opened() == ["ready", "started"])
        let handle = try handler(session, #"{"kind":"add","value":7}"#)
        #expect(await session.outcome(from: view, of: handle) == "handled 2")
        #expect(session.taken(view) == [#"1 {"kind":"sum","value":0}"#, #"2 {"kind":"sum","value":7}"#])
    }

    @Test func `nothing that start sends comes before it is ready`() async throws {
        let session = session(HostedModel())
        _ = try session.attach(viewer, number: 1, client: nil)
        let newest = Recorder<Int>()
        let isOver = Gate()
        _ = session.open(
            ready: { newest.record(session.summary.newest) }, failed: { _ in }, started: { isOver.open() })
        await isOver.wait()
        #expect(newest.elements == [0])
        #expect(session.summary.newest == 1)
    }

    @Test func `a handler's failure is the outcome`() async throws {
        let session = session(HostedModel())
        let view = try session.attach(viewer, number: 1, client: nil).view
        _ = await session.opened()
        #expect(
            await session.outcome(from: view, of: try handler(session, #"{"kind":"fail"}"#)) == "failed TestFailure()")
    }

    @Test(arguments: [
        (#"{"kind":"add"}"#, "/event/value"), (#"{"kind":"add","value":"x"}"#, "/event/value"),
        (#"{"kind":"other"}"#, "/event/kind"), ("{}", "/event/kind"), ("3", "/event"),
        (#"{"kind":"set","value":null}"#, "/event/value"),
    ])
    func `an event that doesn't fit is refused with its path`(event: String, path: String) async throws {
        let session = session(HostedModel())
        let error = #expect(throws: JSONCodingError.self) { try handler(session, event) }
        #expect(error?.path.description == path)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `an event that JSON can't express is reported and takes no number`(value: Double) async throws {
        let model = HostedModel()
        let session = session(model)
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
        let session = session(model)
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
        let handle = try handler(session, #"{"kind":"add","value":1}"#)
        _ = try session.submit(
            ViewEventJob(
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
        let host = HostedView<HostedOutput, HostedInput> { throw TestFailure() }
        let session = Session(host: host)
        #expect(await session.opened() == ["failed: failed TestFailure()", "started"])
    }

    @Test func `a view model that was made for a session that had ended isn't started`() async throws {
        let model = HostedModel()
        let isMaking = Gate()
        let mayGoOn = Gate()
        let host = HostedView<HostedOutput, HostedInput> {
            isMaking.open()
            await mayGoOn.wait()
            return AnyViewModel(model)
        }
        let session = Session(host: host)
        async let opened = session.opened()
        await isMaking.wait()
        let task = session.state.withLock { $0.queue.running?.task }
        session.end(.closed)
        _ = await opened
        mayGoOn.open()
        await task?.value
        #expect(model.output.claimStart())
        #expect(host.viewModel == nil)
    }

    @Test func `the view model goes with its session`() async throws {
        let ends = Recorder<String>()
        do {
            let session = Session(host: HostedView { AnyViewModel(HostedModel(ends: ends)) })
            let view = try session.attach(viewer, number: 1, client: nil).view
            _ = await session.opened()
            _ = await session.outcome(from: view, of: try handler(session, #"{"kind":"add","value":7}"#))
            #expect(ends.elements.isEmpty)
            session.end(.closed)
        }
        #expect(await ends.elements(count: 1) == ["released"])
    }
}
