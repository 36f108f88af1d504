import TestSupport
import Testing
import ViewModels

/// `PresenterService` and `NavigationService`, which differ in the transition alone.
@Suite(.inTurn) struct NavigationServicesTests {
    private let container = Container()
    private let navigator = RecordingNavigator()

    init() {
        container.register((any Navigator).self) { [navigator] _ in navigator }
    }

    @Test func `each asks the navigator, by its own transition`() throws {
        let presenter: PresenterService = try container.resolve()
        let navigation: NavigationService = try container.resolve()
        try presenter.present(Details.self, arguments: 7)
        try presenter.present(Confirmation.self)
        presenter.dismiss()
        try navigation.push(Details.self, arguments: 8)
        try navigation.push(Confirmation.self)
        navigation.pop()
        #expect(
            navigator.asked.elements == [
                "present Details 7", "present Confirmation ()", "take off present", "push Details 8",
                "push Confirmation ()", "take off push",
            ])
    }

    @Test func `each session has its own, which asks that session's navigator`() throws {
        let session = Container(in: container)
        let own = RecordingNavigator()
        session.register((any Navigator).self) { _ in own }
        try session.resolve(PresenterService.self).dismiss()
        try session.resolve(NavigationService.self).pop()
        #expect(own.asked.elements == ["take off present", "take off push"])
        #expect(navigator.asked.elements.isEmpty)
        #expect(try session.resolve(PresenterService.self) === session.resolve(PresenterService.self))
        #expect(try session.resolve(NavigationService.self) !== container.resolve(NavigationService.self))
    }

    @Test func `why something can't be shown is thrown`() throws {
        let presenter: PresenterService = try container.resolve()
        let navigation: NavigationService = try container.resolve()
        #expect(throws: TestFailure()) { try presenter.present(Details.self, arguments: -1) }
        #expect(throws: TestFailure()) { try navigation.push(Details.self, arguments: -1) }
    }

    @Test func `once the container is gone nothing is shown and nothing taken off`() throws {
        let presenter: PresenterService
        let navigation: NavigationService
        do {
            let session = Container(in: container)
            presenter = try session.resolve()
            navigation = try session.resolve()
            withExtendedLifetime(session) {}
        }
        #expect(throws: ContainerError.ended) { try presenter.present(Confirmation.self) }
        #expect(throws: ContainerError.ended) { try navigation.push(Confirmation.self) }
        presenter.dismiss()
        navigation.pop()
        #expect(navigator.asked.elements.isEmpty)
    }

    @Test func `where nobody shows anything, a service can't be had`() {
        #expect(throws: ContainerError.notRegistered("Navigator")) { try Container().resolve(PresenterService.self) }
        #expect(throws: ContainerError.notRegistered("Navigator")) { try Container().resolve(NavigationService.self) }
    }
}

private final class RecordingNavigator: Navigator {
    let asked = Recorder<String>()

    func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition
    ) throws {
        if arguments as? Int == -1 { throw TestFailure() }
        asked.record("\(transition) \(type) \(arguments)")
    }

    func takeOff(_ transition: Transition) {
        asked.record("take off \(transition)")
    }
}

private final class Details: PerRequest {
    init(container: Container, arguments: Int) {}
}

private final class Confirmation: PerRequest {
    init(container: Container, arguments: Void) {}
}
