import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct PropertyNamesTests {
    @Test func `a type's properties have the names of its objects' events`() async throws {
        #expect(names(of: Plain.self) == ["text", "_under", "a name", "wrapped name"])
        #expect(try await names(of: Plain.self) == sentNames(of: Plain()))
        #expect(names(of: Inheriting.self) == ["first", "second", "third"])
    }

    @Test func `an actor's are found too, and a generic type's`() async throws {
        #expect(names(of: Acting.self) == ["text", "list"])
        #expect(names(of: Generic<Int>.self) == ["value", "more"])
        #expect(try await names(of: Generic<Int>.self) == sentNames(of: Generic(1)))
    }

    @Test func `a class without such properties has none`() {
        #expect(names(of: Empty.self) == [])
    }

    @Test func `a type that is no class has no names`() {
        let types: [any Any.Type] = [
            Int.self, Structure.self, Int?.self, (Int, Int).self, (() -> Void).self, (any Error).self, Int.Type.self,
            AnyObject.self,
        ]
        for type in types { #expect(names(of: type) == nil, "\(type)") }
    }

    @Test func `each comes with the type of its value`() throws {
        let types = try #require(PropertyNames.values(of: Acting.self)).map { "\($0.type)" }
        #expect(types == ["String", "Dictionary<Int, String>"])
    }

    private func sentNames(of model: some ObservableViewModel) async throws -> [String] {
        let events = PropertyEvents(model)
        try await events.start()
        return events.snapshot().map(\.name)
    }

    private func names(of type: any Any.Type) -> [String]? { PropertyNames.values(of: type)?.map(\.name) }
}

private enum Input: Sendable {}

@MainActor private final class Plain: ObservableViewModel {
    @Observed var text = ""
    var count = 0
    let _under = Dynamic(1)
    let `a name` = Dynamic(1)
    @Observed var `wrapped name` = 1
    var optional: Dynamic<Int>?
    lazy var late = 1

    nonisolated func handle(event: Input) {}
}

@MainActor private class Base {
    @Observed var first = 1
}

@MainActor private class Middle: Base {
    let second = Dynamic("")
}

private final class Inheriting: Middle, ObservableViewModel {
    @Observed private var third: [String]?

    func handle(event: Input) {}
}

private actor Acting: ObservableViewModel {
    @Observed var text = ""
    var count = 0
    let list = Dynamic<[Int: String]>([:])

    func handle(event: Input) {}
}

private final class Generic<Value: Codable & Sendable>: ObservableViewModel {
    let value: Dynamic<Value>
    let more = Dynamic<[Value]>([])

    init(_ value: Value) { self.value = Dynamic(value) }

    func handle(event: Input) {}
}

private final class Empty: ObservableViewModel {
    let number = 1

    func handle(event: Input) {}
}

private struct Structure {
    let text = Dynamic("")
}
