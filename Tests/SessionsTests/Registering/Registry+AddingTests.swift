import JSON
import Sessions
import Testing
import TestSupport
import ViewModels

@Suite(.inTurn) struct RegistryAddingTests {
    /// A dependency of the greetings, which an application replaces.
    private protocol Greeter: Sendable {
        func greet(_ name: String) -> String
    }

    private struct Polite: Greeter {
        func greet(_ name: String) -> String { "Good day, \(name)" }
    }

    private struct Casual: Greeter {
        func greet(_ name: String) -> String { "Hi, \(name)" }
    }

    private enum Said: Codable, Sendable {
        case text(String)
    }

    private final class GreetingModel<Arguments: Sendable>: ViewModel, PerRequest {
        let output = Output<Said>()
        private let text: String

        init(container: Container, arguments: Arguments) throws {
            let name = (arguments as? HostedArguments)?.names?.first ?? "\(arguments)"
            text = try container.resolve((any Greeter).self).greet(name)
        }

        func start() { output.send(.text(text)) }
        func handle(event: HostedInput) {}
    }

    private struct Undecodable: Sendable {}

    private func registry() -> Registry {
        var registry = Registry()
        registry.container.register((any Greeter).self) { _ in Polite() }
        registry.add("container") { (container: Container) in
            try GreetingModel<String>(container: container, arguments: "container")
        }
        registry.add("both") { (container: Container, arguments: HostedArguments) in
            try GreetingModel<HostedArguments>(container: container, arguments: arguments)
        }
        registry.add("decoded", GreetingModel<HostedArguments>.self)
        registry.add("void", GreetingModel<Void>.self)
        registry.addChild("shown", GreetingModel<Undecodable>.self)
        registry.addChild("closed", GreetingModel<Int>.self)
        registry.addChild("either", GreetingModel<[String]>.self, canBeOpened: true)
        registry.addChild("neither", GreetingModel<Double>.self, canBeOpened: false)
        return registry
    }

    private func session(_ name: String, _ arguments: String?, _ registry: Registry) throws -> Session {
        let container = Container(in: registry.container)
        let text = try arguments.map { text in
            try Array(text.utf8).withUnsafeBytes { try JSONText(validating: $0) }
        }
        let model = try #require(try registry.sessionModel(name, arguments: text, at: "/arguments", in: container))
        return Session(model: model)
    }

    /// The first events of the view model of this name.
    private func greeting(_ name: String, _ arguments: String?, _ registry: Registry) async throws -> [String] {
        let session = try session(name, arguments, registry)
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        #expect(await session.opened() == ["ready", "started"])
        return session.taken(view)
    }

    @Test(arguments: [
        ("container", nil, "container"), ("both", #"{"names":["Ann"]}"#, "Ann"),
        ("decoded", #"{"names":["Ben"]}"#, "Ben"), ("void", nil, "()"), ("void", "{}", "()"),
    ])
    func `each kind is made from the session's container`(name: String, arguments: String?, text: String) async throws {
        let registry = registry()
        #expect(try await greeting(name, arguments, registry) == [#"1 {"kind":"text","value":"Good day, \#(text)"}"#])
        // One dependency is replaced, and nothing else is touched.
        registry.container.register((any Greeter).self) { _ in Casual() }
        #expect(try await greeting(name, arguments, registry) == [#"1 {"kind":"text","value":"Hi, \#(text)"}"#])
    }

    @Test(arguments: ["both", "decoded"])
    func `arguments that don't fit are refused with their path`(name: String) async throws {
        let steps = try await session(name, #"{"names":[1]}"#, registry()).opened()
        #expect(steps.count == 2 && steps[0].hasPrefix("failed: failed /arguments/names/0: "), "\(steps)")
    }

    @Test func `clients open what is added, and a child only where that says so`() throws {
        let registry = registry()
        #expect(registry.names == ["both", "container", "decoded", "either", "void"])
        #expect(
            registry.allNames
                == ["both", "closed", "container", "decoded", "either", "neither", "shown", "void"])
        for name in ["closed", "neither", "shown"] {
            #expect(try registry.sessionModel(name, arguments: nil, at: .root, in: registry.container) == nil)
        }
        #expect(registry.childNames == ["closed", "neither", "shown"])
    }

    @Test func `a child is shown by its first name, with any arguments`() throws {
        var registry = registry()
        registry.addChild("again", GreetingModel<Int>.self)
        #expect(try shownName(of: GreetingModel<Undecodable>.self, Undecodable(), registry) == "shown")
        #expect(try shownName(of: GreetingModel<Int>.self, 1, registry) == "closed")
        #expect(try shownName(of: GreetingModel<[String]>.self, ["a"], registry) == "either")
        #expect(try shownName(of: GreetingModel<Double>.self, 1, registry) == "neither")
    }

    @Test func `a type that is added for clients alone can't be shown, and the error says what to write`() throws {
        var registry = registry()
        let error = #expect(throws: NavigationError.self) { try shownName(of: GreetingModel<Void>.self, (), registry) }
        #expect(
            error?.description == """
                GreetingModel<()> can't be shown: "void" is registered by add, for clients to open; in its place write \
                registry.addChild("void", GreetingModel<()>.self), and canBeOpened: true behind that if clients open it, too
                """)
        registry.addChild("question", GreetingModel<Void>.self)
        #expect(try shownName(of: GreetingModel<Void>.self, (), registry) == "question")
    }

    @Test func `only what is registered can be shown`() throws {
        #expect(throws: NavigationError.notRegistered("GreetingModel<Bool>")) {
            try shownName(of: GreetingModel<Bool>.self, true, registry())
        }
    }

    @Test func `clients are told a type with its module, without marks of private and local scopes`() {
        final class LocalModel: ViewModel {
            let output = Output<Said>()
            func start() {}
            func handle(event: HostedInput) {}
        }
        var registry = registry()
        registry.add("public") { HostedModel() }
        registry.add("local") { LocalModel() }
        #expect(registry.typeName(of: "public") == "SessionsTests.HostedModel")
        #expect(registry.typeName(of: "local") == "SessionsTests.RegistryAddingTests.LocalModel")
        let greeting = "SessionsTests.RegistryAddingTests.GreetingModel"
        #expect(registry.typeName(of: "void") == "\(greeting)<()>")
        #expect(registry.typeName(of: "shown") == "\(greeting)<SessionsTests.RegistryAddingTests.Undecodable>")
        #expect(registry.typeName(of: "nobody") == nil)
    }

    /// The name under which a view model that another one pushes is on screen.
    private func shownName<Model: PerRequest & AnyObject>(
        of type: Model.Type, _ arguments: Model.Arguments, _ registry: Registry
    ) throws -> String? {
        let shown = Recorder<String>()
        let context = SceneContext(registry: registry, maximumCount: 10) { name, model, scene, _, _ in
            shown.record(name)
            return Session(
                key: "child", viewModelName: name, model: model, scene: scene, isChild: true,
                executor: globalConcurrentExecutor)
        }
        let scene = Scene(context: context)
        let root = Session(
            key: "root", viewModelName: "root", model: ScriptedModel(), scene: scene, executor: globalConcurrentExecutor
        )
        scene.begin(with: root)
        defer { root.end(.closed) }
        try scene.container.resolve(NavigationService.self).push(type, arguments: arguments)
        return shown.elements.first
    }
}
