import Contracts
import Examples
import JSON
import SchemaValidation
import Serving
import Sessions
import TestSupport
import Testing
import ViewModels

/// The contract of a state is one of exactly what is stored.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct StoredStateContractTests {
    private static let orders: [ReturningClient.Step] = [
        .open("orders", arguments: #"{"count":3,"delay":0}"#), .send("orders", #"{"kind":"loadOrders"}"#),
        .send("orders", #"{"kind":"selectOrder","index":1}"#), .attach("orderDetails"),
        .send("orderDetails", #"{"kind":"editNote","value":"blue"}"#),
        .send("orderDetails", #"{"kind":"cancelOrder"}"#), .attach("confirmCancel"),
    ]

    @Test(
        arguments: [
            (
                ["counter"],
                [.open("counter", arguments: #"{"start":5}"#), .send("counter", #"{"kind":"increment","by":2}"#)]
            ),
            (["todos"], [.open("todos"), .send("todos", #"{"kind":"add","title":"one"}"#)]),
            (["orders", "orderDetails", "confirmCancel"], orders),
            (["properties"], [.open("properties"), .send("properties", #"{"kind":"set","value":1}"#)]),
            (["properties"], [.open("properties"), .send("properties", #"{"kind":"set","value":2}"#)]),
            (["whole"], [.open("whole"), .send("whole", #"{"kind":"set","value":1}"#)]),
            (["list"], [.open("list"), .send("list", #"{"kind":"set","value":1}"#)]),
        ] as [([String], [ReturningClient.Step])])
    func `what is stored is valid by the contract, and has nothing else`(
        _ names: [String], _ steps: [ReturningClient.Step]
    ) async throws {
        let lives = Lives { registry, _ in Self.register(in: &registry) }
        _ = try await lives.play(steps)
        let sessions = lives.store.scenes.flatMap(\.sessions)
        #expect(sessions.map(\.header.viewModel) == names)
        for session in sessions { try check(session) }
        try check(lives.store.scenes.flatMap(\.shared), of: names)
    }

    private func check(_ shared: [SavedValue], of names: [String]) throws {
        #expect(shared.map(\.name) == (names.contains("orders") ? ["CancelledOrders/ids"] : []))
        for name in names where !shared.isEmpty {
            let contract = try Self.contract(of: name)
            let document = try SchemaDocument(text: contract.line)
            let text = #"{"ids":\#(String(decoding: shared[0].text, as: UTF8.self))}"#
            #expect(document.validate(text: text, by: "/shared/CancelledOrders").isEmpty, "\(text)")
        }
    }

    private func check(_ session: StoredSession) throws {
        let name = session.header.viewModel
        let contract = try Self.contract(of: name)
        let state = try #require(contract["state"])
        #expect(state["x-savedStateVersion"] == .number("\(session.turn.savedVersion)"))
        let document = try SchemaDocument(text: contract.line)
        let values = session.turn.saved.map { ($0.name, String(decoding: $0.text, as: UTF8.self)) }
        if values.first?.0 == "" {
            #expect(state["x-savedAs"] == .string("whole") && values.count == 1)
            #expect(document.validate(text: values[0].1, by: "/state").isEmpty, "\(name): \(values)")
        } else {
            #expect(state["x-savedAs"] == .string("properties"))
            let names = state["properties"].map { properties -> [String] in
                if case .object(let members) = properties { members.map(\.name) } else { [] as [String] }
            }
            #expect(values.map(\.0).sorted() == (names ?? []).sorted())
            let text = "{" + values.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
            #expect(document.validate(text: text, by: "/state").isEmpty, "\(name): \(text)")
        }
        guard let arguments = session.header.arguments else { return }
        let part = contract["savedArguments"] == nil ? "arguments" : "savedArguments"
        let text = String(decoding: arguments, as: UTF8.self)
        #expect(document.validate(text: text, by: "/\(part)").isEmpty, "\(name): \(text)")
    }

    @Test func `a child that no client opens has its arguments in the contract, as they are stored`() throws {
        let contract = try Self.contract(of: "confirmCancel")
        #expect(contract["savedArguments"] == .object([.init("$ref", .string("#/$defs/Order"))]))
        // A client may open this one, so they are in the contract anyway.
        #expect(try Self.contract(of: "orderDetails")["savedArguments"] == nil)
        #expect(try Self.contract(of: "hello")["state"] == nil)
    }

    @Test func `a singleton is in the contract of each view model that keeps it, or an object that does`() throws {
        let ids = ##"{ "type": "array", "items": { "$ref": "#/$defs/Int" } }"##
        let basket = #"{ "type": "object", "properties": { "ids": \#(ids) } }"#
        for name in ["committer", "keepsService"] {
            let contract = try Self.contract(of: name)
            #expect(contract["shared"]?["Basket"]?.line == basket)
            guard case .object(let members)? = contract["shared"] else { return #expect(Bool(false)) }
            // Not one of the process.
            #expect(members.map(\.name) == ["Basket"])
        }
        #expect(try Self.contract(of: "counter")["shared"] == nil)
    }

    private static func contract(of name: String) throws -> JSONTree {
        var registry = Registry()
        Examples.register(in: &registry)
        register(in: &registry)
        var builder = ContractBuilder()
        let contract = builder.contract(of: try #require(registry.types(of: name)))
        #expect(builder.problems.isEmpty)
        // Clients are told nothing of it.
        #expect(contract.fileJSON.withoutState == contract.json)
        #expect(contract.json["state"] == nil)
        return contract.fileJSON
    }

    private static func register(in registry: inout Registry) {
        registry.add("properties") { ManyProperties() }
        registry.add("whole") { WholeState() }
        registry.add("list") { ListState() }
        registry.add("committer", Keeper.self)
        registry.add("keepsService", KeepsService.self)
    }
}

private enum SetEvent: Codable, Sendable {
    case set(Int)
}

private enum Suit: String, Codable, Sendable { case hearts, spades }

private enum Shape: Codable, Sendable {
    case point
    case circle(radius: Double)
}

/// Every kind of saved property, of which some are nil.
private actor ManyProperties: ObservableViewModel, DurableViewModel {
    typealias ViewEvent = SetEvent

    @Observed var number = 0
    let text = Dynamic("none")
    @Observed var hint: String?
    @Saved private var shape: Shape? = .circle(radius: 1)
    @Saved private var table: [String: [Int?]] = [:]
    @Saved private var `two words` = Suit.hearts
    private var notSaved = 0

    func handle(event: SetEvent) {
        guard case .set(let value) = event else { return }
        number = value
        hint = value == 1 ? "one" : nil
        shape = value == 1 ? nil : .point
        table = ["a": [value, nil]]
        notSaved += 1
    }
}

private actor WholeState: ViewModel, DurableViewModel {
    typealias ViewEvent = SetEvent
    enum ViewModelEvent: Codable, Sendable { case number(Int) }

    struct SavedState: Codable, Sendable {
        var number: Int
        var shape: Shape?
        var suit = Suit.spades
    }

    let output = Output<ViewModelEvent>()
    private var number = 0

    var savedState: SavedState { SavedState(number: number, shape: number == 0 ? nil : .point) }
    func restore(_ savedState: SavedState) { number = savedState.number }

    func handle(event: SetEvent) {
        if case .set(let value) = event { number = value }
        output.send(.number(number))
    }
}

private actor ListState: ViewModel, DurableViewModel {
    typealias ViewEvent = SetEvent
    enum ViewModelEvent: Codable, Sendable { case number(Int) }

    let output = Output<ViewModelEvent>()
    private var numbers: [Int] = []

    var savedState: [Int] { numbers }
    func restore(_ savedState: [Int]) { numbers = savedState }

    func handle(event: SetEvent) {
        if case .set(let value) = event { numbers.append(value) }
        output.send(.number(numbers.count))
    }
}

private final class Basket: Singleton, DurableSingleton {
    static let scope = SingletonScope.session

    private let ids = Saved<[Int]>([])

    init(container: Container, arguments: Void) {}
}

/// One for the whole process isn't saved, and a server refuses it.
private final class Statistics: Singleton, DurableSingleton {
    static let scope = SingletonScope.process

    private let count = Saved(0)

    init(container: Container, arguments: Void) {}
}

private final class Service: PerRequest {
    private let basket: Basket
    private let statistics: Statistics

    init(container: Container, arguments: Void) throws {
        basket = try container.resolve()
        statistics = try container.resolve()
    }
}

private actor Keeper: ViewModel, PerRequest, DurableViewModel {
    typealias ViewEvent = SetEvent
    enum ViewModelEvent: Codable, Sendable { case done }

    let output = Output<ViewModelEvent>()
    private let basket: Basket?

    init(container: Container, arguments: Void) throws { basket = try container.resolve() }

    func handle(event: SetEvent) {}
}

private actor KeepsService: ViewModel, PerRequest {
    typealias ViewEvent = SetEvent
    enum ViewModelEvent: Codable, Sendable { case done }

    let output = Output<ViewModelEvent>()
    private let service: Service

    init(container: Container, arguments: Void) throws { service = try container.resolve() }

    func handle(event: SetEvent) {}
}
