import JSON
import Sessions
import Synchronization
import TestSupport
import ViewModels

/// A scene with a root, and the sessions in it by their keys: "root", "1", "2", …
final class Stage: Sendable {
    let clock = ManualClock()
    /// The keys of the sessions that have ended, in order.
    let ends = Recorder<String>()
    let scene: Scene
    let root: Session
    /// The navigator of the scene's view models.
    let navigator: any Navigator
    private let alive: Alive

    private final class Alive: Sendable {
        let sessions = Mutex<[String: Session]>([:])
        let lastKey = Atomic<Int>(0)
    }

    init(
        maximumCount: Int = 100, script: Page.Script = Page.Script(),
        executor: any TaskExecutor = globalConcurrentExecutor,
        limits: Limits = Limits(), register: (Container) -> Void = { _ in }
    ) throws {
        var registry = Registry()
        registry.addChild("page", Page.self)
        registry.add("root") { container in try Page(container: container, arguments: script) }
        register(registry.container)
        let alive = Alive()
        let (clock, ends) = (clock, ends)
        let make: @Sendable (String, String, any SessionModel, Scene) -> Session = { key, name, model, scene in
            let session = Session(
                key: key, viewModelName: name, model: model, scene: scene, isChild: key != "root", executor: executor,
                limits: limits, clock: clock,
                onEnd: { session in
                    ends.record(session.key)
                    _ = alive.sessions.withLock { $0.removeValue(forKey: session.key) }
                })
            alive.sessions.withLock { $0[key] = session }
            return session
        }
        let scene = Scene(
            context: SceneContext(registry: registry, maximumCount: maximumCount) { name, model, scene, _, _ in
                make("\(alive.lastKey.wrappingAdd(1, ordering: .relaxed).newValue)", name, model, scene)
            })
        guard let model = try registry.sessionModel("root", arguments: nil, at: .root, in: scene.container) else {
            throw TestFailure()
        }
        self.scene = scene
        root = make("root", "root", model, scene)
        self.alive = alive
        navigator = try scene.container.resolve()
        scene.begin(with: root)
    }

    var keys: [String] { alive.sessions.withLock { $0.keys.sorted() } }

    func session(_ key: String) throws -> Session {
        guard let session = alive.sessions.withLock({ $0[key] }) else { throw TestFailure() }
        return session
    }

    @discardableResult
    func show(_ transition: Transition, _ script: Page.Script = Page.Script()) throws -> Session {
        try navigator.show(Page.self, arguments: script, by: transition)
        return try session("\(alive.lastKey.load(ordering: .relaxed))")
    }

    func push(_ script: Page.Script = Page.Script()) throws -> Session { try show(.push, script) }
    func present(_ script: Page.Script = Page.Script()) throws -> Session { try show(.present, script) }

    /// The same with a view, and started.
    func started(_ session: Session, viewer: TestViewer = TestViewer()) async throws -> Int {
        let view = try session.attach(viewer, number: 1, client: nil).view
        if session.awaitsOpening { _ = await session.opened() }
        return view
    }
}

extension Session {
    /// The screens on and over it, as "pushed pushed(presented)". A view is attached for that, and detached.
    var hosted: String {
        guard let attachment = try? attach(TestViewer(), number: 0, client: nil) else { return "ended" }
        detach(attachment.view)
        return attachment.navigation.text
    }
}

extension HostNavigation {
    /// As "pushed pushed(presented)".
    var text: String {
        let stack = stack.map(\.key).joined(separator: " ")
        return presented.map { "\(stack)(\($0.key))" } ?? stack
    }
}
