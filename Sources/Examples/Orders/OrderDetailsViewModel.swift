public import ViewModels

/// One order, with a note that the user may write. It can't be left while the note isn't saved.
public actor OrderDetailsViewModel: ViewModel, PerRequest, BackHandling, DurableViewModel {
    /// The user's actions.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Wants to cancel the order, which has to be confirmed first.
        case cancelOrder
        /// Changes the note.
        case editNote(String)
        /// Saves the note.
        case saveNote
        /// Goes back to the list.
        case done
    }

    /// The contents of the View.
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

    /// Sends the order and its note.
    public let output = Output<ViewModelEvent>()
    private let order: Order
    private let cancelledOrders: CancelledOrders
    private let presenter: PresenterService
    private let navigation: NavigationService
    @Saved private var note = ""
    @Saved private var isNoteSaved = true

    /// Shows an order.
    ///
    /// - Throws: the container's error, where it has no navigation.
    public init(container: Container, arguments order: Order) throws {
        self.order = order
        cancelledOrders = try container.resolve()
        presenter = try container.resolve()
        navigation = try container.resolve()
    }

    /// Sends everything that the View shows, and its changes from then on.
    public func start() {
        for event in snapshot() { output.send(event) }
        resume()
    }

    /// Sends from now on whether the order is cancelled.
    public func resume() {
        cancelledOrders.cancelled.subscribe(output) { [order] output, cancelled in
            if cancelled == order { output.send(.cancelled(true)) }
        }
    }

    /// Everything that the View shows.
    public func snapshot() -> [ViewModelEvent] {
        [
            .title("Details of \(order.name)"), .cancelled(cancelledOrders.contains(order)),
            .note(note, isSaved: isNoteSaved),
        ]
    }

    /// Changes the note, asks for confirmation, or goes back.
    ///
    /// - Throws: `NavigationError` where the confirmation can't be shown.
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

    /// Keeps the user here while the note isn't saved.
    ///
    /// - Throws: `UnsavedNote`.
    public func willGoBack() throws {
        if !isNoteSaved { throw UnsavedNote() }
    }
}
