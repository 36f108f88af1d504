public import ViewModels

/// One order, with a note to write: it presents a question, goes back by itself, and won't be left with unsaved work.
public actor OrderDetailsViewModel: ViewModel, PerRequest, BackHandling {
    /// What the user did.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Wants the order cancelled; is asked again first.
        case cancelOrder
        /// Wrote a note.
        case editNote(String)
        /// Saves it.
        case saveNote
        /// Has seen enough.
        case done
    }

    /// What the View shows.
    public enum ViewModelEvent: Codable, Sendable, Equatable {
        /// "Details of Order #7".
        case title(String)
        /// Whether the order was cancelled.
        case cancelled(Bool)
        /// The note, and whether it is saved.
        case note(String, isSaved: Bool)
    }

    /// Why the user must stay.
    public struct UnsavedNote: Error, CustomStringConvertible {
        /// A sentence for the user.
        public let description = "the note isn't saved"
    }

    /// Where all this leaves.
    public let output = Output<ViewModelEvent>()
    private let order: Order
    private let cancelledOrders: CancelledOrders
    private let presenter: PresenterService
    private let navigation: NavigationService
    private var note = ""
    private var isNoteSaved = true

    /// Shows the order in its arguments.
    public init(container: Container, arguments order: Order) throws {
        self.order = order
        cancelledOrders = try container.resolve()
        presenter = try container.resolve()
        navigation = try container.resolve()
    }

    /// Sends all that is to be shown, and from then on what changes.
    public func start() {
        for event in snapshot() { output.send(event) }
        cancelledOrders.cancelled.subscribe(output) { [order] output, cancelled in
            if cancelled == order { output.send(.cancelled(true)) }
        }
    }

    /// All that is to be shown.
    public func snapshot() -> [ViewModelEvent] {
        [
            .title("Details of \(order.name)"), .cancelled(cancelledOrders.contains(order)),
            .note(note, isSaved: isNoteSaved),
        ]
    }

    /// - Throws: what showing the question throws.
    public func handle(event: ViewEvent) throws {
        switch event {
        case .cancelOrder: try presenter.present(ConfirmCancelViewModel.self, arguments: order)
        case .editNote(let text): setNote(text, isSaved: text == note && isNoteSaved)
        case .saveNote: setNote(note, isSaved: true)
        case .done: navigation.pop()
        }
    }

    private func setNote(_ text: String, isSaved: Bool) {
        note = text
        isNoteSaved = isSaved
        output.send(.note(note, isSaved: isNoteSaved))
    }

    /// - Throws: `UnsavedNote`.
    public func willGoBack() throws {
        if !isNoteSaved { throw UnsavedNote() }
    }
}
