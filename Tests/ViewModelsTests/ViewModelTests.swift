import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct ViewModelTests {
    @Test func `a view model needs no start of its own, and sends nothing then`() async throws {
        let view = PlainView()
        try await view.bind(with: SilentModel())
        #expect(view.seen.elements.isEmpty)
    }

    @Test(arguments: TestModelKind.allCases)
    func `a view model chooses its isolation`(kind: TestModelKind) async throws {
        let view = PlainView()
        try await view.bind(with: kind.make())
        view.output.send(.echo(1))
        view.output.send(.fail)
        view.output.send(.echo(2))
        #expect(await view.seen.elements(count: 3) == [.started, .echoed(1), .echoed(2)])
        #expect(await view.failures.elements(count: 1) == ["fail: TestFailure()"])
    }
}

enum TestModelKind: CaseIterable {
    case actor
    case mainActorClass
    case plainClass

    func make() -> AnyViewModel<TestOutput, TestInput> {
        switch self {
        case .actor: AnyViewModel(ActorModel())
        case .mainActorClass: AnyViewModel(MainActorModel())
        case .plainClass: AnyViewModel(PlainModel())
        }
    }
}
