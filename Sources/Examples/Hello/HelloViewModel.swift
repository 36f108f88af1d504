public import ViewModels

// Lesson 1: the smallest view model.
//
// A View has a button and a label. The button sends the event `sayHello`; the label shows `helloText`. `helloText` is a
// `Dynamic`, a value that calls its listeners each time it is set, and so the view model needs no enum of its own
// events: an `ObservableViewModel` sends each of its properties, first when it starts and then after each change.

/// A button, and a label that becomes "Hello".
public actor HelloViewModel: ObservableViewModel {
    /// The user's actions.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Presses the button.
        case sayHello
    }

    /// The label's text: empty at first.
    public nonisolated let helloText = Dynamic("")

    /// A view model with an empty label.
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
