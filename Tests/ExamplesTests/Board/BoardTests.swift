import Examples
import TestSupport
import Testing
import ViewModels

/// The board and its screens, without a server: the container has the board.
@Suite(.inTurn) struct BoardTests {
    private let board = BoardViewModel()
    private let navigator = TestNavigator()

    private func screen() async throws -> (StubView<BoardScreenViewModel>, BoardScreenViewModel) {
        let model: BoardScreenViewModel = try container().resolve(arguments: .init())
        let view = StubView<BoardScreenViewModel>()
        try await view.bind(with: model)
        return (view, model)
    }

    private func container() -> Container {
        let container = Container()
        container.register { [board] _ in board }
        container.register((any Navigator).self) { [navigator] _ in navigator }
        return container
    }

    @Test func `two screens show what either sends`() async throws {
        let (ada, adas) = try await screen()
        let (bob, _) = try await screen()
        ada.output.send(.add(title: "Dig"))
        #expect(await ada.events.elements(count: 1) == [.news("Dig is to do")])
        #expect(await bob.events.elements(count: 1) == [.news("Dig is to do")])
        bob.output.send(.move(id: 1, to: .done))
        #expect(await ada.events.elements(count: 2).last == .news("Dig is done"))
        let (toDo, done) = (await adas.toDo, await adas.done)
        await until { done.count == 1 && toDo.isEmpty }
        #expect(try await done.rows(in: 0..<9).map(\.title) == ["Dig"])
    }

    @Test func `the board knows who has changed a card`() async throws {
        try await Client.$current.withValue(Client(principal: "ada")) {
            try await board.handle(event: .add(title: "Dig"))
        }
        #expect(await board.toDo.all.map(\.by) == ["ada"])
    }

    @Test(arguments: [BoardViewModel.ViewEvent.add(title: " "), .rename(id: 1, title: "")])
    func `a title needs something in it`(_ event: BoardViewModel.ViewEvent) async throws {
        try await board.handle(event: .add(title: "Dig"))
        await #expect(throws: BoardViewModel.Failure.emptyTitle) { try await board.handle(event: event) }
        #expect(await board.toDo.all.map(\.title) == ["Dig"])
    }

    @Test(arguments: [BoardViewModel.ViewEvent.move(id: 7, to: .done), .rename(id: 7, title: "x"), .remove(id: 7)])
    func `a card that isn't there can't be changed`(_ event: BoardViewModel.ViewEvent) async {
        let error = await #expect(throws: BoardViewModel.Failure.noCard(id: 7)) {
            try await board.handle(event: event)
        }
        #expect(error?.description == "there is no card 7 on the board; somebody may have removed it")
    }

    @Test func `a card's screen follows the card, and leaves with it`() async throws {
        try await board.handle(event: .add(title: "Dig"))
        let card = try #require(await board.toDo[0])
        try await board.handle(event: .rename(id: 1, title: "Dig deep"))
        let model: BoardCardViewModel = try container().resolve(arguments: .init(board: nil, card: card))
        let view = StubView<BoardCardViewModel>()
        try await view.bind(with: model)
        #expect(await view.events.elements(count: 1).map(\.title) == ["Dig deep"])
        view.output.send(.rename(title: "Dig deeper"))
        #expect(await view.events.elements(count: 2).last?.title == "Dig deeper")
        view.output.send(.remove)
        #expect(await navigator.steps.elements(count: 1) == ["pop"])
    }
}

/// A View that keeps what it is told.
private final class StubView<Model: ViewModel>: View {
    typealias ViewModelEvent = Model.ViewModelEvent
    typealias ViewEvent = Model.ViewEvent

    let output = Output<Model.ViewEvent>()
    let events = Recorder<Model.ViewModelEvent>()

    func handle(event: Model.ViewModelEvent) { events.record(event) }
}

extension BoardCardViewModel.ViewModelEvent {
    fileprivate var title: String {
        switch self {
        case .card(let card): card.title
        }
    }
}
