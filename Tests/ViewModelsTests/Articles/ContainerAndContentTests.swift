import TestSupport
import Testing
import ViewModels

@MainActor @Suite struct ContainerAndContentTests {
    private let view = ContainerView()

    @Test func `three lines make the screen, and both Views see all that start sends`() async throws {
        let viewModel = ScreenViewModel()
        try await view.bind(with: viewModel)
        await until { view.loadingSteps.count == 2 && !view.content.rows.isEmpty }
        #expect(view.title == "Screen")
        #expect(view.loadingSteps == [true, false])
        #expect(view.content.rows == ["item 0", "item 1"])
        #expect(view.errors.isEmpty)
        // Once, though two Views have bound.
        #expect(await viewModel.starts == 1)
    }

    @Test func `a change in the one View is seen in the other`() async throws {
        try await view.bind(with: ScreenViewModel())
        view.pressReload()
        await until { view.content.rows.count == 4 }
        view.content.select(2)
        await until { view.title != "Screen" && view.title != "" }
        #expect(view.title == "item 2")
        view.content.select(9)
        await until { !view.errors.isEmpty }
        #expect(view.errors == ["no item 9"])
    }

    @Test func `the view model is tested without any View, by the sequence of its events`() async throws {
        let viewModel = ScreenViewModel()
        let seen = Recorder<ScreenViewModel.ViewModelEvent>()
        let subscription = viewModel.output.subscribe { seen.record($0) }
        await viewModel.start()
        await viewModel.handle(event: .touchItem(1))
        #expect(
            seen.elements == [
                .updateTitle("Screen"), .loading(true), .items(["item 0", "item 1"]), .loading(false),
                .updateTitle("item 1"),
            ])
        withExtendedLifetime(subscription) {}
    }

    @Test func `the two Views and the view model go together`() async throws {
        weak var weakContainer: ContainerView?
        weak var weakContent: ContentView?
        weak var weakViewModel: ScreenViewModel?
        do {
            let view = ContainerView()
            let viewModel = ScreenViewModel()
            (weakContainer, weakContent, weakViewModel) = (view, view.content, viewModel)
            try await view.bind(with: viewModel)
            await until { view.loadingSteps.count == 2 && !view.content.rows.isEmpty }
        }
        // The task that brought the last event may let go of them a moment later.
        await until { weakContainer == nil && weakContent == nil && weakViewModel == nil }
    }
}
