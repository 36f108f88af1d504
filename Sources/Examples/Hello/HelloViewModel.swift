public import ViewModels

/// The smallest view model: a button, and a label that becomes "Hello". Its one value says for itself when it changed.
public actor HelloViewModel: ObservableViewModel {
    /// What the user did.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// The button was pressed.
        case sayHello
    }

    /// The label's text: empty at first.
    public nonisolated let helloText = Dynamic("")

    /// A view model that hasn't said anything.
    public init() {}

    /// Says hello.
    public func handle(event: ViewEvent) {
        switch event {
        case .sayHello: userTriggeredSayHelloButton()
        }
    }

    /// Says hello.
    public func userTriggeredSayHelloButton() {
        helloText.value = "Hello"
    }
}
