import Sessions
import Synchronization
import Testing
import TestSupport
import ViewModels

@Suite(.inTurn, .timeLimit(.minutes(4))) struct SceneTests {
    /// Objects that must be gone.
    private final class Lifetimes: Sendable {
        private let objects = Mutex<[(name: String, get: @Sendable () -> Bool)]>([])

        func add(_ name: String, _ object: some AnyObject & Sendable) {
            let weak = WeakReference(object)
            objects.withLock { $0.append((name, { weak.isAlive })) }
        }

        var count: Int { objects.withLock { $0.count } }
        var alive: [String] { objects.withLock { $0.filter { $0.get() }.map(\.name) } }
    }

    private final class WeakReference: Sendable {
        private struct Value { weak var object: (any AnyObject & Sendable)? }
        private let value: Mutex<Value>

        init(_ object: any AnyObject & Sendable) {
            value = Mutex(Value(object: object))
        }

        var isAlive: Bool { value.withLock { $0.object } != nil }
    }

    private func watched(_ name: String, _ lifetimes: Lifetimes) -> Page.Script {
        Page.Script(onMake: { container in
            let basket: Basket = try container.resolve()
            lifetimes.add("\(name)'s basket", basket)
            let navigation: NavigationService = try container.resolve()
            lifetimes.add("\(name)'s navigation", navigation)
        })
    }

    enum Ending: CaseIterable {
        case closeRoot, closeUnstarted, popAndClose, expire, refuseSecond
    }

    @Test(arguments: Ending.allCases)
    func `nothing is kept of a scene that is over`(ending: Ending) async throws {
        let lifetimes = Lifetimes()
        let releases = Recorder<String>()
        let clock = try await end(ending, lifetimes, releases)
        #expect(lifetimes.count == (ending == .closeUnstarted || ending == .refuseSecond ? 7 : 9))
        // A task that handled something may still hold what it worked on.
        await until { lifetimes.alive.isEmpty }
        #expect(clock.sleeperCount == 0)
    }

    private func end(_ ending: Ending, _ lifetimes: Lifetimes, _ releases: Recorder<String>) async throws -> ManualClock
    {
        let stage = try Stage(
            maximumCount: ending == .refuseSecond ? 2 : 100, script: watched("root", lifetimes))
        lifetimes.add("scene", stage.scene)
        lifetimes.add("root", stage.root)
        let view = try await stage.started(stage.root)
        let child = try stage.push(watched("child", lifetimes))
        lifetimes.add("child", child)
        let children = [child]
        switch ending {
        case .closeUnstarted: break
        case .refuseSecond:
            #expect(throws: NavigationError.tooMany(2)) { try stage.push() }
        case .closeRoot, .popAndClose, .expire:
            let second = try stage.present(watched("second", lifetimes))
            #expect(second.hosted == "")
            if ending != .expire { _ = try await stage.started(second) }
        }
        if ending == .popAndClose {
            #expect(stage.scene.canGoBackAtOnce(from: child) == false)
            try await stage.scene.goBack(from: child)
            #expect(stage.keys == ["root"])
        }
        if ending == .expire {
            stage.root.detach(view)
            await stage.clock.sleepers(3)
            stage.clock.advance(by: Limits().resumeWindow)
        } else {
            stage.root.end(.closed)
        }
        await until { stage.keys.isEmpty }
        #expect(children.allSatisfy { $0.hasEnded })
        // Its views would take this event.
        #expect(stage.ends.elements.count == Set(stage.ends.elements).count)
        await until { stage.clock.sleeperCount == 0 }
        return stage.clock
    }

    @Test func `a root that ended before its scene began leaves nothing`() throws {
        let lifetimes = Lifetimes()
        func end() throws {
            let scene = Scene(
                context: SceneContext(registry: Registry(), maximumCount: 10) { _, _, _, _, _ in throw TestFailure() })
            let root = Session(
                key: "root", viewModelName: "root", model: ScriptedModel(), scene: scene,
                executor: globalConcurrentExecutor)
            lifetimes.add("scene", scene)
            lifetimes.add("root", root)
            root.end(.serverShutdown)
            scene.begin(with: root)
        }
        try end()
        #expect(lifetimes.alive.isEmpty)
    }

    @Test func `a session shares its services with what stands on it, and with nobody else`() throws {
        let baskets = Recorder<ObjectIdentifier>()
        let script = Page.Script(onMake: { baskets.record(ObjectIdentifier(try $0.resolve(Basket.self))) })
        let stages = try (0..<2).map { _ in try Stage() }
        for stage in stages {
            _ = try stage.push(script)
            _ = try stage.present(script)
        }
        let ids = baskets.elements
        #expect(ids[0] == ids[1])
        #expect(ids[2] == ids[3])
        #expect(ids[0] != ids[2])
        for stage in stages { stage.root.end(.closed) }
    }

    @Test func `one that can't be made changes nothing`() throws {
        let stage = try Stage()
        #expect(throws: TestFailure()) { try stage.push(Page.Script(onMake: { _ in throw TestFailure() })) }
        #expect(throws: NavigationError.notRegistered("Basket2")) {
            try stage.navigator.show(Basket2.self, arguments: (), by: .push)
        }
        #expect(stage.root.hosted == "")
        #expect(stage.keys == ["root"])
        stage.root.end(.closed)
        #expect(throws: NavigationError.ended) { try stage.push() }
    }

    private final class Basket2: PerRequest {
        init(container: Container, arguments: Void) {}
    }

    @Test func `a view model may navigate while it is made`() throws {
        let stage = try Stage()
        let outer = Page.Script(onMake: { container in
            try container.resolve(NavigationService.self).push(Page.self, arguments: Page.Script())
        })
        _ = try stage.push(outer)
        #expect(stage.root.hosted == "1 2")
        stage.root.end(.closed)
    }

    @Test func `a view model may navigate while it is asked whether the user may go back`() async throws {
        let stage = try Stage()
        let child = try stage.push(
            Page.Script(onGoBack: { navigation in
                try navigation.push(Page.self, arguments: Page.Script())
                navigation.pop()
                navigation.pop()
            }))
        _ = try await stage.started(child)
        try await stage.scene.goBack(from: child)
        #expect(stage.root.hosted == "")
        #expect(stage.keys == ["root"])
        stage.root.end(.closed)
    }

    @Test func `a view model may navigate while it makes a snapshot`() async throws {
        let stage = try Stage()
        let child = try stage.push(Page.Script(onSnapshot: { try $0.push(Page.self, arguments: Page.Script()) }))
        _ = try await stage.started(child)
        child.append("an event that is no snapshot's")
        _ = try await child.attached(TestViewer(), number: 2)
        #expect(stage.root.hosted == "1 2")
        stage.root.end(.closed)
    }

    @Test func `a view model may navigate when it is released`() async throws {
        let releases = Recorder<String>()
        let stage = try Stage()
        try await { () async throws in
            let child = try stage.push(
                Page.Script(onRelease: { navigation in
                    do {
                        try navigation.push(Page.self, arguments: Page.Script())
                        releases.record("pushed")
                    } catch {
                        releases.record("\(error)")
                    }
                    navigation.pop()
                }))
            _ = try await stage.started(child)
        }()
        stage.navigator.takeOff(.push)
        #expect(await releases.elements(count: 1) == ["pushed"])
        await until { stage.keys == ["root"] }
        stage.root.end(.closed)
    }

    @Test func `who has a say is asked on the session's executor, topmost first`() async throws {
        let executor = NamedExecutor()
        let stage = try Stage(executor: executor)
        let asked = Recorder<String>()
        func script(_ name: String) -> Page.Script {
            Page.Script(onGoBack: { _ in
                asked.record("\(name) \(executor.isCurrent)")
            })
        }
        let lower = try stage.push(script("lower"))
        let upper = try stage.push(script("upper"))
        for session in [lower, upper] { _ = try await stage.started(session) }
        try await stage.scene.goBack(from: lower)
        #expect(asked.elements == ["upper true", "lower true"])
        stage.root.end(.closed)
    }

    @Test func `nobody is taken off where one refuses`() async throws {
        let stage = try Stage()
        let lower = try stage.push()
        let upper = try stage.push(Page.Script(onGoBack: { _ in throw TestFailure() }))
        for session in [lower, upper] { _ = try await stage.started(session) }
        let error = await #expect(throws: (any Error).self) { try await stage.scene.goBack(from: lower) }
        #expect(error.map { "\($0)" } == "\(TestFailure())")
        #expect(stage.root.hosted == "1 2")
        stage.root.end(.closed)
    }

    @Test func `a root waits for the window of what stood on it and was watched later`() async throws {
        let stage = try Stage()
        let window = Limits().resumeWindow
        let rootView = try await stage.started(stage.root)
        let child = try stage.push()
        let view = try await stage.started(child)
        stage.root.detach(rootView)
        await stage.clock.sleepers(1)
        stage.clock.advance(by: window * 0.5)
        child.detach(view)
        await stage.clock.sleepers(2)
        stage.clock.advance(by: window * 0.5)
        // The root looks, and waits for its child.
        await stage.clock.sleepers(2)
        #expect(stage.keys == ["1", "root"])
        stage.clock.advance(by: window * 0.5 - .seconds(1))
        #expect(stage.keys == ["1", "root"])
        stage.clock.advance(by: .seconds(1))
        await until { stage.keys.isEmpty }
    }

    @Test func `a root doesn't wait for what nobody ever watched`() async throws {
        let stage = try Stage()
        let window = Limits().resumeWindow
        let rootView = try await stage.started(stage.root)
        stage.root.detach(rootView)
        await stage.clock.sleepers(1)
        stage.clock.advance(by: window * 0.5)
        _ = try stage.push()
        await stage.clock.sleepers(2)
        stage.clock.advance(by: window * 0.5)
        await until { stage.keys.isEmpty }
    }
}

/// Knows whether the current task is its own.
private final class NamedExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        globalConcurrentExecutor.enqueue(job)
    }

    var isCurrent: Bool {
        let own = asUnownedTaskExecutor()
        return withUnsafeCurrentTask { $0?.unownedTaskExecutor == own }
    }
}
