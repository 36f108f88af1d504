import ViewModels

/// A button, and a label that becomes "Hello".
///
/// The program of an article on MVVM without reactive programming, with a plain class where it has UIKit's.
final class HelloViewModel: Sendable {
    let helloText = Dynamic("")

    func userTriggeredSayHelloButton() {
        helloText.value = "Hello"
    }
}

@MainActor final class HelloView {
    private(set) var helloLabel = "before"
    private(set) var viewModel: HelloViewModel?

    /// As the article has it: the listener captures the View, weakly here.
    func bind(to viewModel: HelloViewModel) {
        self.viewModel = viewModel
        viewModel.helloText.bind { [weak self] text in
            self?.helloLabel = text
        }
    }

    /// The label shows at once what there is.
    func bindAndFire(to viewModel: HelloViewModel) {
        self.viewModel = viewModel
        viewModel.helloText.bindAndFire(self) { this, text in
            this.helloLabel = text
        }
    }

    func sayHelloButtonPressed() {
        viewModel?.userTriggeredSayHelloButton()
    }
}
