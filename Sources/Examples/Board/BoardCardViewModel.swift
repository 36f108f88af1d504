public import ViewModels

/// A card of a board on a screen of its own, which follows what others do with the card.
public actor BoardCardViewModel: ViewModel, DurableViewModel, PerRequest {
    /// The card that is shown.
    public struct Arguments: Codable, Sendable {
        /// The name of the board.
        public var board: String?
        /// The card as it is when the screen is shown.
        public var card: BoardViewModel.Card

        /// - Parameters:
        ///   - board: the name of the board; nil for the one without a name.
        ///   - card: the card, as far as it is known.
        public init(board: String?, card: BoardViewModel.Card) {
            (self.board, self.card) = (board, card)
        }
    }

    /// What the person does.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Gives the card another title.
        case rename(title: String)
        /// Puts the card at the end of a column.
        case move(to: BoardViewModel.Column)
        /// Takes the card off the board.
        case remove
    }

    /// The contents of the View.
    public enum ViewModelEvent: Codable, Sendable, Equatable, ReplaceableEvent {
        /// The card as it is now.
        case card(BoardViewModel.Card)

        /// A newer card replaces an older one.
        public var coalescingKey: String? { "card" }
    }

    /// Sends the card.
    public let output = Output<ViewModelEvent>()
    private let board: Shared<BoardViewModel>
    private let navigation: NavigationService
    @Saved private var card: BoardViewModel.Card

    /// A screen of a card.
    public init(container: Container, arguments: Arguments) throws {
        _card = Saved(wrappedValue: arguments.card)
        navigation = try container.resolve()
        board = container.shared(
            BoardViewModel.self, "board", arguments: BoardViewModel.Arguments(board: arguments.board))
        board.subscribe(self) { screen, event in screen.show(event) }
    }

    /// The card.
    public func snapshot() -> [ViewModelEvent] { [.card(card)] }

    /// Sends what the person does to the board, which may refuse it.
    ///
    /// - Throws: the reason why nothing can be sent now.
    public func handle(event: ViewEvent) throws {
        switch event {
        case .rename(let title): try board.send(.rename(id: card.id, title: title))
        case .move(let column): try board.send(.move(id: card.id, to: column))
        case .remove: try board.send(.remove(id: card.id))
        }
    }

    /// Follows the card, and leaves the screen with it.
    private func show(_ event: BoardViewModel.ViewModelEvent) {
        switch event {
        case .card(let changed): if changed.id == card.id { update(changed) }
        case .removed(let removed): if removed.id == card.id { navigation.pop() }
        case .all(let cards):
            // What comes first: the card may have changed, or gone, before this screen was there.
            guard let found = cards.first(where: { $0.id == card.id }) else { return navigation.pop() }
            update(found)
        case .here: break
        }
    }

    private func update(_ changed: BoardViewModel.Card) {
        card = changed
        output.send(.card(card))
    }
}
