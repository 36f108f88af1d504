import JSON
import Sessions
import Testing
import TestSupport
import ViewModels

@Suite(.inTurn) struct RegistryTests {
    private let made = Recorder<HostedArguments>()
    private let registry: Registry

    init() {
        var registry = Registry()
        registry.add("plain") { HostedModel() }
        registry.add("asks") { [made] (arguments: HostedArguments) in
            made.record(arguments)
            return HostedModel()
        }
        registry.add("erased") { AnyViewModel(HostedModel()) }
        registry.add("broken") { () async throws -> HostedModel in throw TestFailure() }
        self.registry = registry
    }

    private func session(_ name: String, _ arguments: String? = nil) throws -> Session? {
        let text = try arguments.map { text in
            try Array(text.utf8).withUnsafeBytes { try JSONText(validating: $0) }
        }
        let model = try registry.sessionModel(name, arguments: text, at: "/arguments", in: registry.container)
        return model.map { Session(model: $0) }
    }

    @Test func `names come in alphabetical order`() {
        #expect(Registry().names.isEmpty)
        #expect(registry.names == ["asks", "broken", "erased", "plain"])
    }

    @Test func `the first that was registered is the one to try`() {
        #expect(Registry().firstName == nil)
        #expect(registry.firstName == "plain")
    }

    @Test func `the types of a view model are known by its name`() throws {
        for name in ["plain", "asks", "erased"] {
            let types = try #require(registry.types(of: name))
            #expect(types.name == name)
            #expect(ObjectIdentifier(types.viewEvent) == ObjectIdentifier(HostedModel.ViewEvent.self))
            guard case .cases(let type) = types.events else {
                Issue.record("\(types.events)")
                continue
            }
            #expect(ObjectIdentifier(type) == ObjectIdentifier(HostedModel.ViewModelEvent.self))
        }
        #expect(registry.types(of: "unknown") == nil)
    }

    @Test(arguments: ["", "Plain", "plain ", "unknown"])
    func `an unknown name has no session model`(name: String) throws {
        #expect(try session(name) == nil)
    }

    @Test(arguments: ["plain", "erased", "asks"])
    func `a view model is made for its session and starts`(name: String) async throws {
        let session = try #require(try session(name))
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        #expect(await session.opened() == ["ready", "started"])
        #expect(session.taken(view) == [#"1 {"kind":"sum","value":0}"#])
    }

    @Test func `view models take the registry's clock from their container`() async throws {
        let clock = ManualClock()
        var registry = Registry(clock: clock)
        let clocks = Recorder<any Clock<Duration>>()
        registry.add("timed") { container in
            clocks.record(try container.resolve())
            return HostedModel()
        }
        let scene = Container(in: registry.container)
        let model = try #require(try registry.sessionModel("timed", arguments: nil, at: .root, in: scene))
        _ = await Session(model: model).opened()
        #expect(clocks.elements.first as? ManualClock === clock)
    }

    @Test func `each session has a view model of its own`() throws {
        let models = try (0..<2).map { _ in
            try registry.sessionModel("plain", arguments: nil, at: .root, in: registry.container)
        }
        #expect(models[0] !== models[1])
    }

    @Test func `an error of its making is the opening's`() async throws {
        let session = try #require(try session("broken"))
        #expect(await session.opened() == ["failed: failed TestFailure()", "started"])
    }

    @Test(arguments: [
        (nil, HostedArguments()), ("{}", HostedArguments()), (#"{"start":3}"#, HostedArguments(start: 3)),
        (#"{"start":null}"#, HostedArguments()),
        (#"{"names":["a"]}"#, HostedArguments(names: ["a"])),
    ])
    func `arguments are decoded, absent ones as an empty object`(text: String?, expected: HostedArguments) async throws
    {
        let session = try #require(try session("asks", text))
        #expect(made.elements.isEmpty)
        _ = await session.opened()
        #expect(made.elements == [expected])
    }

    @Test(arguments: [
        (#"{"start":"x"}"#, "/arguments/start"), (#"{"start":1.5}"#, "/arguments/start"),
        (#"{"names":["a",1]}"#, "/arguments/names/1"), ("[]", "/arguments"), ("3", "/arguments"),
        (#"{"start":null,"other":1}"#, "/arguments/other"),
    ])
    func `arguments that don't fit are refused with their path, before anything is made`(
        text: String, path: String
    ) async throws {
        let steps = try await #require(try session("asks", text)).opened()
        #expect(steps.count == 2 && steps[0].hasPrefix("failed: failed \(path): "), "\(steps)")
        #expect(made.elements.isEmpty)
    }

    @Test func `a view model without arguments takes an empty object and nothing else`() throws {
        #expect(try session("plain", "{}") != nil)
        #expect(throws: JSONCodingError.self) { try session("plain", "[1]") }
        #expect(throws: JSONCodingError.self) { try session("plain", #"{"start":1}"#) }
    }
}
