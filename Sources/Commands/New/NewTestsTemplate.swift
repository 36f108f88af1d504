/// Tests of a view model: the sequence of its events, a View that shows them, and a View that comes late.
enum NewTestsTemplate {
    /// - Parameter module: the one that the view model is in.
    static func text(_ name: NewName, module: String) -> String {
        """
        import Synchronization
        import Testing
        import ViewModelServer

        @testable import \(module)

        @MainActor @Suite struct \(name.viewModel)Tests {
            private let viewModel = \(name.viewModel)()

            /// The sequence of its events is all that there is to test of a view model.
            @Test func `it sends its title, and each that the user gives it`() async throws {
                let events = Mutex<[\(name.viewModel).ViewModelEvent]>([])
                let subscription = await viewModel.output.subscribe { event in events.withLock { $0.append(event) } }
                defer { subscription.cancel() }

                let view = \(name.view) { _ in }
                try await view.bind(with: viewModel)
                // Returns when the event is handled, for which view.rename(to:) doesn't wait.
                try await view.viewModel?.handle(event: .rename(to: "Tea"))
                #expect(events.withLock { $0 } == [.title("\(name.title)"), .title("Tea")])
            }

            @Test(.timeLimit(.minutes(1))) func `a View shows what it sends`() async throws {
                let (lines, screen) = AsyncStream.makeStream(of: String.self)
                var shown = lines.makeAsyncIterator()
                let view = \(name.view) { screen.yield($0) }

                try await view.bind(with: viewModel)
                #expect(await shown.next() == "Title: \(name.title)")
                view.rename(to: "Tea")
                #expect(await shown.next() == "Title: Tea")
            }

            @Test func `a View that comes later is told the title as it is`() async {
                await viewModel.handle(event: .rename(to: "Tea"))
                #expect(await viewModel.snapshot() == [.title("Tea")])
            }
        }

        """
    }
}
