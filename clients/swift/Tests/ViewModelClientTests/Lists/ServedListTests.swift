import Examples
import TestSupport
import Testing
import ViewModelClient
import ViewModels

/// Lists of a real view model, `numbers`.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct ServedListTests {
    private typealias Numbers = RemoteViewModel<NumbersViewModel.ViewModelEvent, NumbersViewModel.ViewEvent>
    private typealias Number = NumbersViewModel.Number

    private func reach(_ server: MemoryServer, _ reports: Recorder<String> = Recorder()) async throws -> RemoteServer {
        var options = ClientOptions()
        options.backoff = Backoff(first: .zero, longest: .zero)
        while true {
            do {
                return try await RemoteServer.reach(server.target, options, on: server.loop) { reports.record($0) }
            } catch RemoteError.unreachable {}
        }
    }

    /// The rows of the first change after which it is so.
    private func rows(
        of list: RemoteList<Number>, until isSo: (RemoteRows<Number>) -> Bool
    ) async throws -> RemoteRows<Number> {
        for await change in list.changes where isSo(change.rows) { return change.rows }
        throw RemoteError.closed
    }

    @Test func `a window on a million rows that are made on demand`() async throws {
        try await withMemoryServer { server in
            let reports = Recorder<String>()
            let remote = try await reach(server, reports)
            let numbers: Numbers = remote.viewModel("numbers", arguments: NumbersViewModel.Arguments(count: 1_000_000))
            #expect(throws: RemoteError.notStarted) { _ = try numbers.list("numbers", of: Number.self) }
            try await numbers.start()
            let list = try numbers.list("numbers", of: Number.self)
            list.show(500_000..<500_040)
            let shown = try await rows(of: list) { $0[500_000] != nil }
            #expect(shown.count == 1_000_000)
            #expect(shown[500_000..<500_040].allSatisfy { $0 != nil } && shown[400_000] == nil)
            #expect(shown[500_001].map { ($0.id, $0.square) } ?? (0, 0) == (500_001, 250_001_000_001))

            let many = try await list.rows(in: 5..<3_005)
            #expect(many.map { $0?.id } == (5..<3_005).map { Optional($0) })
            #expect(try await list.rows(in: 999_999..<Int.max).count == 1)
            for range in [-5..<0, 7..<7, 2_000_000..<2_000_001] { #expect(try await list.rows(in: range).isEmpty) }
            let nothing = try numbers.list("nothing", of: Number.self)
            await #expect(throws: RemoteError.self) { _ = try await nothing.rows(in: 0..<1) }

            let chosen = try numbers.list("chosen", of: Number.self)
            chosen.show(0..<10)
            try await numbers.handle(event: .choose(index: 7))
            try await numbers.handle(event: .choose(index: 3))
            _ = try await rows(of: chosen) { $0.map { $0?.id } == [7, 3] }
            var selection = RemoteSelection<Number>()
            selection.select(3, in: chosen.rows)
            #expect(selection.index == 1)
            var changes = chosen.changes.makeAsyncIterator()
            while let change = await changes.next(), change.rows.count == 2 {
                selection.follow(change)
                if selection.index == 1 { try await numbers.handle(event: .giveBack(index: 0)) }
            }
            #expect(chosen.rows.map { $0?.id } == [3])
            await remote.close()
            while await changes.next() != nil {}
            await #expect(throws: RemoteError.self) { _ = try await list.rows(in: 0..<1) }
            await #expect(throws: RemoteError.self) { try await numbers.handle(event: .choose(index: 1)) }
        }
    }

    @Test(arguments: 0..<4)
    func `over connections that break anywhere the list is what the view model's is`(seed: Int) async throws {
        try await withMemoryServer { server in
            let generator = BudgetGenerator(seed: seed, longest: 5_000)
            server.cutAfter { generator.budget() }
            let remote = try await reach(server)
            let numbers: Numbers = remote.viewModel("numbers", arguments: NumbersViewModel.Arguments(count: 900))
            try await numbers.start()
            let (list, chosen) = (
                try numbers.list("numbers", of: Number.self), try numbers.list("chosen", of: Number.self)
            )
            chosen.show(0..<200)
            var random = SeededGenerator(seed: seed)
            var model: [Int] = []
            for number in (0..<900).shuffled(using: &random).prefix(100) {
                if !model.isEmpty, random.chance(40) {
                    let index = Int.random(in: 0..<model.count, using: &random)
                    model.remove(at: index)
                    try await numbers.handle(event: .giveBack(index: index))
                } else {
                    model.append(number)
                    try await numbers.handle(event: .choose(index: number))
                }
                list.show(number..<number + 10)
                #expect(list.rows.enumerated().allSatisfy { $1 == nil || $1?.id == $0 })
            }
            let expected = model
            let rows = try await rows(of: chosen) { $0.map { $0?.id } == expected.map { Optional($0) } }
            #expect(rows.count == model.count)
            #expect(try await chosen.rows(in: 0..<900).map { $0?.id } == expected.map { Optional($0) })
            #expect(try await list.rows(in: 100..<200).map { $0?.id } == (100..<200).map { Optional($0) })
            server.cutAfter(nil)
            await remote.close()
        }
    }
}
