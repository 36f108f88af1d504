import JSON
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite(.inTurn) struct SharedViewsTests {
    private actor Other: ViewModel {
        enum ViewEvent: Codable { case none }
        enum ViewModelEvent: Codable { case none }

        let output = Output<ViewModelEvent>()

        func handle(event: ViewEvent) {}
    }

    private struct Failed: Error {}

    private func part() -> SharedPart {
        SharedPart(shared: Container().shared(Other.self, "other"), connection: NoConnection(), lists: [])
    }

    private func record() -> SharedRecord {
        SharedRecord(viewModel: "other", arguments: .emptyObject, client: "c")
    }

    @Test func `a view that is opened as the session ends has its place`() {
        var views = SharedViews()
        views.add(record(), part())
        #expect(views.end().parts.count == 1)
        views.add(record(), part())
        let connection = NoConnection()
        views.parts[1].connection = connection
        #expect(views.end().parts.last?.connection === connection)
    }

    @Test(arguments: [false, true])
    func `an error is kept as long as an answer waits for it`(_ waits: Bool) {
        var views = SharedViews()
        views.add(record(), part())
        views.add(record(), part())
        for index in views.records.indices {
            _ = views.records[index].send(Array("{}".utf8), from: nil, now: .zero, mayGo: true)
        }
        // The answer waits for both, of which the first has failed.
        let numbers = views.records.indices.map { SharedViews.Number(record: $0, number: 1) }
        if waits { #expect(views.wait(for: numbers) { _ in }) }
        _ = views.records[0].didAnswer(1, inJob: 1, failure: Failed())
        #expect(views.didEnd(job: 1, newest: 0).isEmpty)
        #expect((views.records[0].takeFailure(of: 1) != nil) == waits)
    }
}
