import Examples
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct TodosViewModelTests {
    private let model = TodosViewModel()

    @Test func `each change is told`() async throws {
        let changes = Recorder<Void>()
        model.changed.subscribe(changes) { changes in changes.record(()) }
        try await model.handle(event: .add(title: "Milk"))
        try await model.handle(event: .add(title: "Bread"))
        try await model.handle(event: .toggle(id: 1))
        #expect(await model.state.items.map(\.title) == ["Milk", "Bread"])
        #expect(await model.state.items.map(\.isDone) == [true, false])
        #expect(await model.state.remaining == 1)
        try await model.handle(event: .removeDone)
        #expect(await model.state.items.map(\.id) == [2])
        #expect(changes.elements.count == 4)
    }

    @Test func `an id is never used again`() async throws {
        try await model.handle(event: .add(title: "Milk"))
        try await model.handle(event: .toggle(id: 1))
        try await model.handle(event: .removeDone)
        try await model.handle(event: .add(title: "Bread"))
        #expect(await model.state.items.map(\.id) == [2])
    }

    @Test(arguments: ["", " ", "\t\n"])
    func `a title needs something in it`(title: String) async {
        await #expect(throws: TodosViewModel.Failure.emptyTitle) { try await model.handle(event: .add(title: title)) }
        #expect(await model.state.items.isEmpty)
    }

    @Test func `an item that isn't there can't be done`() async {
        let error = await #expect(throws: TodosViewModel.Failure.noItem(id: 7)) {
            try await model.handle(event: .toggle(id: 7))
        }
        #expect(error?.description == "there is nothing to do with id 7")
    }
}
