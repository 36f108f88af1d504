import TestSupport
import Testing
import ViewModels

/// The hooks as Views in the same process cause them.
@Suite(.inTurn, .timeLimit(.minutes(1)))
struct ViewModelLifeTests {
    @Test func `a bound View is a view, after start`() async throws {
        let (steps, model) = stage()
        let view = LifeView()
        try await view.bind(with: model)
        #expect(steps.elements == ["start", "appear"])
    }

    @Test func `Views that share a view model are one audience`() async throws {
        let (steps, model) = stage()
        do {
            let first = LifeView()
            try await first.bind(with: model)
            do {
                let second = LifeView()
                try await second.bind(with: AnyViewModel(model))
                withExtendedLifetime(second) {}
            }
            // Bound again, it stays in the audience.
            try await first.bind(with: model)
            #expect(steps.elements == ["start", "appear"])
            withExtendedLifetime(first) {}
        }
        #expect(await steps.elements(count: 3).last == "disappear")
        let third = LifeView()
        try await third.bind(with: model)
        #expect(steps.elements == ["start", "appear", "disappear", "appear"])
    }

    @Test func `a View that is bound with another view model has left the first`() async throws {
        let (steps, model) = stage()
        let (others, other) = stage()
        let view = LifeView()
        try await view.bind(with: model)
        try await view.bind(with: other)
        #expect(await steps.elements(count: 3) == ["start", "appear", "disappear"])
        #expect(others.elements == ["start", "appear"])
    }

    @Test func `a view model that only its View kept goes with it, and isn't called`() async throws {
        let steps = Recorder<String>()
        weak var released: LifeModel?
        do {
            let view = LifeView()
            do {
                let model = LifeModel(steps)
                released = model
                try await view.bind(with: model)
            }
            withExtendedLifetime(view) {}
        }
        #expect(released == nil)
        #expect(await steps.elements(count: 3) == ["start", "appear", "deinit"])
    }

    @Test func `without a start that succeeds nothing is called`() async throws {
        let steps = Recorder<String>()
        let model = LifeModel(steps, fails: true)
        let view = LifeView()
        await #expect(throws: TestFailure.self) { try await view.bind(with: model) }
        #expect(steps.elements == ["start"])
    }

    /// As two sessions that share a view model do.
    @Test func `the last of its sessions stops it, once`() async throws {
        let (steps, model) = stage()
        let (one, other) = (AnyViewModel(model), AnyViewModel(model))
        for session in [one, other] {
            try await session.start()
            session.addSession()
            session.addAudience()
            await session.callHooks()
        }
        one.removeAudience()
        one.removeSession()
        await one.callHooks()
        #expect(steps.elements == ["start", "appear"])
        other.removeAudience()
        other.removeSession()
        await other.callHooks()
        await one.callHooks()
        #expect(steps.elements == ["start", "appear", "disappear", "stop"])
    }

    @Test func `a hook that is due while another runs is called after it, by whoever called that`() async throws {
        let (mayAppear, hasAppeared) = (Gate(), Gate())
        let steps = Recorder<String>()
        let model = LifeModel(steps) {
            hasAppeared.open()
            await mayAppear.wait()
        }
        let erased = AnyViewModel(model)
        try await erased.start()
        erased.addAudience()
        async let calls: Void = erased.callHooks()
        await hasAppeared.wait()
        erased.removeAudience()
        await erased.callHooks()
        #expect(steps.elements == ["start", "appear"])
        mayAppear.open()
        await calls
        #expect(steps.elements == ["start", "appear", "disappear"])
    }

    /// As two sessions that share a view model do.
    @Test func `who looks is told while there are views, of all its sessions together`() async throws {
        let steps = Recorder<String>()
        let model = PresentModel(steps)
        let (one, other) = (AnyViewModel(model), AnyViewModel(model))
        try await one.start()
        for (session, name) in [(one, "ada"), (other, "bob")] {
            session.addSession()
            session.addAudience()
            session.setViewers([Client(name: name)], of: session)
            await session.callHooks()
        }
        // Nothing has changed.
        one.setViewers([Client(name: "ada")], of: one)
        await one.callHooks()
        #expect(steps.elements == ["appear", "ada", "ada bob"])
        for session in [one, other] {
            session.setViewers([], of: session)
            session.removeAudience()
            await session.callHooks()
        }
        #expect(steps.elements == ["appear", "ada", "ada bob", "bob", "", "disappear"])
    }

    private func stage() -> (Recorder<String>, LifeModel) {
        let steps = Recorder<String>()
        return (steps, LifeModel(steps))
    }
}

private final class LifeModel: ViewModel {
    let output = Output<Int>()
    private let steps: Recorder<String>
    private let fails: Bool
    private let onAppear: @Sendable () async -> Void

    init(_ steps: Recorder<String>, fails: Bool = false, onAppear: @escaping @Sendable () async -> Void = {}) {
        (self.steps, self.fails, self.onAppear) = (steps, fails, onAppear)
    }

    deinit { steps.record("deinit") }

    func start() throws {
        steps.record("start")
        if fails { throw TestFailure() }
    }

    func viewsDidAppear() async {
        steps.record("appear")
        await onAppear()
    }

    func viewsDidDisappear() { steps.record("disappear") }
    func stop() { steps.record("stop") }
    func handle(event: Int) {}
}

private final class LifeView: View {
    let output = Output<Int>()
    func handle(event: Int) {}
}

private final class PresentModel: ViewModel, PresenceViewModel {
    let output = Output<Int>()
    private let steps: Recorder<String>

    init(_ steps: Recorder<String>) { self.steps = steps }

    func handle(event: Int) {}
    func viewsDidAppear() { steps.record("appear") }
    func viewsDidDisappear() { steps.record("disappear") }

    func viewersDidChange(_ viewers: [Client]) {
        steps.record(viewers.compactMap(\.name).joined(separator: " "))
    }
}
