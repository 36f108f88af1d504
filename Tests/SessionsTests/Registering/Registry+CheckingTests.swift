import TestSupport
import Testing
import ViewModels

@testable import Sessions

/// What says that it outlives its process and can't is refused before anybody trusts it.
@Suite(.inTurn) struct RegistryCheckingTests {
    private static func problems(_ register: (inout Registry) -> Void) -> [String] {
        var registry = Registry()
        register(&registry)
        return registry.durabilityProblems()
    }

    @Test func `what can be durable is let through`() throws {
        var registry = Registry()
        registry.add("committer", Keeper<SessionBasket>.self)
        registry.addChild("child", Child<Int>.self)
        registry.addChild("nothing", Child<Void>.self)
        #expect(registry.durabilityProblems() == [])
        try registry.checkDurability()
    }

    @Test func `a durable object of the whole process is refused, with what to do`() {
        // Two view models keep it, and one is told.
        let problems = Self.problems {
            $0.add("one", Keeper<ProcessBasket>.self)
            $0.add("two", Keeper<ProcessBasket>.self)
        }
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("SessionsTests.ProcessBasket is a DurableSingleton, and would be") == true)
        #expect(problems.first?.contains("leave out its scope, or make it .session") == true)
    }

    @Test func `a durable object that the process's container makes is refused, however it is asked for`() throws {
        let registry = Registry()
        registry.container.register((any Counting).self) { try $0.resolve(SessionBasket.self) }
        let session = Container(in: registry.container)
        #expect(throws: KeptByProcess.self) { try session.resolve((any Counting).self) }
        #expect(throws: KeptByProcess.self) { try session.resolve(ProcessBasket.self) }
        #expect(throws: KeptByProcess.self) { try registry.container.resolve(SessionBasket.self) }
        // The session's own.
        _ = try session.resolve(SessionBasket.self)
    }

    @Test func `two objects that would be stored under one name are refused`() {
        let problems = Self.problems {
            $0.add("one", Keeper<SessionBasket>.self)
            $0.add("two", Keeper<Other.SessionBasket>.self)
        }
        #expect(
            problems == [
                """
                SessionsTests.SessionBasket and SessionsTests.Other.SessionBasket are both stored as 'SessionBasket': give \
                one of them another name, such as static let savedName = "SessionBasket2"
                """
            ])
    }

    @Test func `values and arguments that can't be stored are refused`() {
        let problems = Self.problems {
            $0.add("list") { Unsavable() }
            $0.addChild("child", Child<NotCodable>.self)
        }
        #expect(
            problems == [
                "child: the arguments of SessionsTests.Child<SessionsTests.NotCodable> can't be stored, since NotCodable isn't Codable",
                "list: 'value' of SessionsTests.Unsavable can't be saved, since NotCodable isn't Codable",
            ])
    }

    @Test func `CodingKeys that name no saved property, or give two one name, are refused with what to do`() {
        let problems = Self.problems {
            $0.add("one", Keeper<MisnamedBasket>.self)
            $0.add("two") { SameNames() }
            $0.add("three") { WholeWithNames() }
        }
        #expect(
            problems == [
                """
                the CodingKeys of SessionsTests.MisnamedBasket have a case 'idz', and it has no saved property 'idz': name \
                the saved properties that are stored under another name
                """,
                """
                three: the CodingKeys of SessionsTests.WholeWithNames do nothing, since its SavedState is stored: put them \
                into State
                """,
                """
                two: 'first' and 'second' of SessionsTests.SameNames are both stored as 'second': give one of them another \
                name in its CodingKeys
                """,
            ])
    }

    @Test func `a contract names values that can't be saved itself`() {
        var registry = Registry()
        registry.add("list") { Unsavable() }
        #expect(registry.durabilityProblems(withValues: false) == [])
    }
}

private protocol Counting: Sendable {}

private final class SessionBasket: DurableSingleton, Counting {
    init(container: Container, arguments: Void) {}
}

private enum Other {
    final class SessionBasket: DurableSingleton {
        static let savedName = "SessionBasket"

        init(container: Container, arguments: Void) {}
    }
}

private final class ProcessBasket: DurableSingleton {
    static let scope = SingletonScope.process

    init(container: Container, arguments: Void) {}
}

private enum NoEvent: Codable, Sendable { case nothing }

private struct NotCodable: Sendable {}

private actor Keeper<Kept: DurableSingleton>: ViewModel, PerRequest, DurableViewModel {
    typealias ViewEvent = NoEvent
    typealias ViewModelEvent = NoEvent

    let output = Output<NoEvent>()
    private let kept: Kept

    init(container: Container, arguments: Void) throws { kept = try container.resolve() }

    func handle(event: NoEvent) {}
}

private actor Child<Arguments: Sendable>: ViewModel, PerRequest, DurableViewModel {
    typealias ViewEvent = NoEvent
    typealias ViewModelEvent = NoEvent

    let output = Output<NoEvent>()

    init(container: Container, arguments: Arguments) {}

    func handle(event: NoEvent) {}
}

private actor Unsavable: ObservableViewModel, DurableViewModel {
    typealias ViewEvent = NoEvent

    let value = Dynamic(NotCodable())

    func handle(event: NoEvent) {}
}

private final class MisnamedBasket: DurableSingleton {
    enum CodingKeys: String, CodingKey {
        case idz = "ids"
    }

    let ids = Saved<[Int]>([])

    init(container: Container, arguments: Void) {}
}

private actor SameNames: ViewModel, DurableViewModel {
    enum ViewEvent: Codable { case start }
    enum ViewModelEvent: Codable { case done }
    enum CodingKeys: String, CodingKey {
        case first = "second"
    }

    let output = Output<ViewModelEvent>()
    @Saved private var first = 0
    @Saved private var second = 0

    func handle(event: ViewEvent) {}
}

private actor WholeWithNames: ViewModel, DurableViewModel {
    enum ViewEvent: Codable { case start }
    enum ViewModelEvent: Codable { case done }
    enum CodingKeys: String, CodingKey {
        case number = "count"
    }
    struct State: Codable, Sendable { var number = 0 }

    let output = Output<ViewModelEvent>()
    var savedState: State { State() }
    func restore(_ savedState: State) {}

    func handle(event: ViewEvent) {}
}
