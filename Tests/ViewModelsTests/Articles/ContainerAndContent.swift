import ViewModels

/// A screen whose container shows a title and whether it loads, and whose content, embedded in it, shows the items: two
/// Views of one view model.
///
/// The program of an article on events in and out, with plain classes where it has UIKit's.
actor ScreenViewModel: ViewModel {
    enum ViewEvent: Sendable, Equatable {
        case touchReload
        case touchItem(Int)
    }

    enum ViewModelEvent: Sendable, Equatable {
        case updateTitle(String)
        case loading(Bool)
        case items([String])
        case error(String)
    }

    let output = Output<ViewModelEvent>()
    private(set) var starts = 0
    private var items: [String] = []

    func start() {
        starts += 1
        output.send(.updateTitle("Screen"))
        reload()
    }

    func handle(event: ViewEvent) {
        switch event {
        case .touchReload:
            reload()
        case .touchItem(let index):
            output.send(items.indices.contains(index) ? .updateTitle(items[index]) : .error("no item \(index)"))
        }
    }

    private func reload() {
        output.send(.loading(true))
        items += ["item \(items.count)", "item \(items.count + 1)"]
        output.send(.items(items))
        output.send(.loading(false))
    }
}

@MainActor final class ContainerView: View {
    let output = Output<ScreenViewModel.ViewEvent>()
    let content = ContentView()
    private(set) var title = ""
    private(set) var loadingSteps: [Bool] = []
    private(set) var errors: [String] = []

    /// Hands the view model to the View inside this one.
    ///
    /// Says where it is, though the class does: of an `async` method the compiler takes the protocol's word, and not
    /// the class's.
    @MainActor func setupBindings() async {
        guard let viewModel else { return }
        do {
            try await content.bind(with: viewModel)
        } catch {
            errors.append("\(error)")
        }
    }

    func handle(event: ScreenViewModel.ViewModelEvent) {
        switch event {
        case .updateTitle(let title): self.title = title
        case .loading(let isLoading): loadingSteps.append(isLoading)
        case .error(let text): errors.append(text)
        case .items: break
        }
    }

    func pressReload() { output.send(.touchReload) }
}

@MainActor final class ContentView: View {
    let output = Output<ScreenViewModel.ViewEvent>()
    private(set) var rows: [String] = []

    func handle(event: ScreenViewModel.ViewModelEvent) {
        if case .items(let items) = event { rows = items }
    }

    func select(_ row: Int) { output.send(.touchItem(row)) }
}
