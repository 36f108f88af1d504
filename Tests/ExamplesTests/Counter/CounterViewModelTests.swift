import Examples
import TestSupport
import Testing

@Suite(.inTurn) struct CounterViewModelTests {
    private func counter(from start: Int? = nil) -> Recorded<CounterViewModel> {
        Recorded(CounterViewModel(arguments: .init(start: start)))
    }

    @Test func `it counts up and down and back to where it started`() async throws {
        let counter = counter(from: 5)
        await counter.model.start()
        for event: CounterViewModel.ViewEvent in [.increment(by: 3), .increment(by: -10), .increment(by: 0), .reset] {
            try await counter.model.handle(event: event)
        }
        #expect(counter.events.elements == [.count(5), .count(8), .count(-2), .count(-2), .count(5)])
    }

    @Test func `it starts at 0 unless told otherwise`() async {
        let given = counter()
        await given.model.start()
        #expect(given.events.elements == [.count(0)])
        let bare = Recorded(CounterViewModel())
        await bare.model.start()
        #expect(bare.events.elements == [.count(0)])
    }

    @Test(arguments: [(Int.max, 1), (Int.max - 1, Int.max), (Int.min, -1), (Int.min + 1, Int.min)])
    func `a count beyond 64 bits is an error, and the count stays`(start: Int, amount: Int) async throws {
        let counter = counter(from: start)
        let error = await #expect(throws: CounterViewModel.Overflow.self) {
            try await counter.model.handle(event: .increment(by: amount))
        }
        #expect(error?.description == "\(start) + \(amount) is beyond what a counter can hold")
        #expect(counter.events.elements.isEmpty)
        try await counter.model.handle(event: .increment(by: 0))
        #expect(counter.events.elements == [.count(start)])
    }

    @Test func `it reaches both ends`() async throws {
        let counter = counter()
        for amount in [Int.max, Int.min, Int.min + 1] { try await counter.model.handle(event: .increment(by: amount)) }
        #expect(counter.events.elements == [.count(.max), .count(-1), .count(.min)])
    }

    @Test func `it loads a hundred rows in one event`() async throws {
        let counter = counter()
        try await counter.model.handle(event: .load)
        guard case .rows(let rows)? = counter.events.elements.first else {
            Issue.record("no rows: \(counter.events.elements)")
            return
        }
        #expect(counter.events.elements.count == 1)
        #expect(rows.map(\.id) == Array(0..<100))
        #expect(rows[7].name == "Order #7")
        #expect(rows[7].total == 123.45)
    }
}
