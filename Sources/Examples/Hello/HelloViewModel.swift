public import ViewModels

/// The smallest view model: a button, and a label that becomes "Hello".
public actor HelloViewModel: ViewModel {
    /// What the user did.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// The button was pressed.
        case sayHello
    }

    /// What the View shows.
    public enum ViewModelEvent: Codable, Sendable, Equatable {
        /// The label's text: empty at first.
        case helloText(String)
    }

    /// Where the label's text leaves.
    public let output = Output<ViewModelEvent>()

    /// A view model that hasn't said anything.
    public init() {}

    /// Sends the empty label.
    public func start() {
        output.send(.helloText(""))
    }

    /// Says hello.
    public func handle(event: ViewEvent) {
        switch event {
        case .sayHello: output.send(.helloText("Hello"))
        }
    }
}
