public import ViewModels

/// One person's screen of a board, in whichever program they open it.
///
/// Its lists are the board's: of them it keeps no row. What it sends to the board is stored with the turn that sends it.
public actor BoardScreenViewModel: ViewModel, DurableViewModel, TitledViewModel, PerRequest {
    /// What the person does.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Adds a card to what is to be done; its title can't be blank.
        case add(title: String)
        /// Puts a card at the end of a column.
        case move(id: Int, to: BoardViewModel.Column)
        /// Takes a card off the board.
        case remove(id: Int)
        /// Shows the card at this place of a column, from 0, on a screen of its own.
        case open(column: BoardViewModel.Column, index: Int)
    }

    /// The contents of the View, beside the lists.
    public enum ViewModelEvent: Codable, Sendable, Equatable {
        /// What was done last, by this person or another one: "ada: Milk is done".
        case news(String)
        /// The names of those who look at the board now, on whichever screen.
        case here([String])
    }

    /// There is no card at a place.
    public struct NoCard: Error, CustomStringConvertible {
        /// A sentence for the user.
        public let description: String
    }

    /// Sends the news.
    public let output = Output<ViewModelEvent>()
    /// The board's cards that nobody has begun.
    public let toDo: Rows<BoardViewModel.Card>
    /// The board's cards that somebody works on.
    public let doing: Rows<BoardViewModel.Card>
    /// The board's cards that are over.
    public let done: Rows<BoardViewModel.Card>
    private let board: Shared<BoardViewModel>
    private let navigation: NavigationService
    private let arguments: BoardViewModel.Arguments
    @Saved private var news = ""
    @Saved private var here: [String] = []

    /// A screen of the board with these arguments.
    public init(container: Container, arguments: BoardViewModel.Arguments) throws {
        self.arguments = arguments
        navigation = try container.resolve()
        board = container.shared(BoardViewModel.self, "board", arguments: arguments)
        toDo = board.rows("toDo")
        doing = board.rows("doing")
        done = board.rows("done")
        board.subscribe(self) { screen, event in screen.show(event) }
    }

    /// Tells the news of the board, and who is here.
    private func show(_ event: BoardViewModel.ViewModelEvent) {
        switch event {
        case .card(let card): tell(card, card.column.words)
        case .removed(let card): tell(card, "off the board")
        case .all: break
        case .here(let names):
            guard names != here else { return }
            here = names
            output.send(.here(here))
        }
    }

    private func tell(_ card: BoardViewModel.Card, _ state: String) {
        news = "\(card.by.map { "\($0): " } ?? "")\(card.title) is \(state)"
        output.send(.news(news))
    }

    /// The board's name.
    public var title: String { arguments.board ?? "" }

    /// The news, and who is here.
    public func snapshot() -> [ViewModelEvent] { [.news(news), .here(here)] }

    /// Sends what changes the board to it, and shows a card.
    ///
    /// - Throws: `NoCard`, or the reason why nothing can be sent now. The board's own refusal is told to the client, too.
    public func handle(event: ViewEvent) async throws {
        switch event {
        case .add(let title): try board.send(.add(title: title))
        case .move(let id, let column): try board.send(.move(id: id, to: column))
        case .remove(let id): try board.send(.remove(id: id))
        case .open(let column, let index):
            guard index >= 0, let card = try await self[column].rows(in: index..<index + 1).first else {
                throw NoCard(description: "there is no card at \(index) of what is \(column.words)")
            }
            try navigation.push(BoardCardViewModel.self, arguments: .init(board: arguments.board, card: card))
        }
    }

    private subscript(column: BoardViewModel.Column) -> Rows<BoardViewModel.Card> {
        switch column {
        case .toDo: toDo
        case .doing: doing
        case .done: done
        }
    }
}

extension BoardViewModel.Column {
    /// The column in words, as in "Milk is to do".
    var words: String {
        switch self {
        case .toDo: "to do"
        case .doing: "being done"
        case .done: "done"
        }
    }
}
