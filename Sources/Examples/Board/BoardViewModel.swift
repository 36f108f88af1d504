public import ViewModels

// Lesson 8: data that many share, and a screen for each.
//
// There is one board of a name for everyone: it is registered with the scope `everyone`. Nobody's screen is in it. Each
// person has a session of their own around it, the `BoardScreenViewModel`, which shows the board's lists and sends it
// events. So two people who work on one board are each where they want, and see what the other one does.
//
// What a screen sends takes effect once, also where the server is killed meanwhile.

/// A board of cards in three columns, the same for everyone.
public actor BoardViewModel: ViewModel, DurableViewModel, TitledViewModel, PresenceViewModel {
    /// The arguments by which a board is found.
    public struct Arguments: Codable, Sendable {
        /// The name of the board, such as "garden"; the board without a name when it is left out.
        public var board: String?

        /// - Parameter board: the name of the board; nil for the one without a name.
        public init(board: String? = nil) {
            self.board = board
        }
    }

    /// The columns, from left to right.
    public enum Column: String, Codable, Sendable, CaseIterable {
        /// What nobody has begun.
        case toDo
        /// What somebody works on.
        case doing
        /// What is over.
        case done
    }

    /// A card.
    public struct Card: Codable, Sendable, Equatable, Identifiable {
        /// Counts from 1, and is never used again.
        public var id: Int
        /// In the user's words.
        public var title: String
        /// Where it is.
        public var column: Column
        /// Who has changed it last; absent where nobody is known.
        public var by: String?
    }

    /// What anybody does with the board.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Adds a card to what is to be done; its title can't be blank.
        case add(title: String)
        /// Puts a card at the end of a column.
        case move(id: Int, to: Column)
        /// Gives a card another title.
        case rename(id: Int, title: String)
        /// Takes a card off the board.
        case remove(id: Int)
    }

    /// What has happened, beside the changes of the lists.
    public enum ViewModelEvent: Codable, Sendable, Equatable {
        /// A card is new, in another column, or has another title.
        case card(Card)
        /// A card is gone.
        case removed(Card)
        /// All cards, for who comes late.
        case all([Card])
        /// The names of those who look at the board now, directly or on a screen of theirs; not of those who have none. Of more
        /// than twenty, the first by the alphabet: whoever else comes is no news for everybody.
        case here([String])
    }

    /// The answer to an event that makes no sense.
    public enum Failure: Error, Equatable, CustomStringConvertible {
        /// There is no card with this id.
        case noCard(id: Int)
        /// The title is blank.
        case emptyTitle

        /// A sentence for the user.
        public var description: String {
            switch self {
            case .noCard(let id): "there is no card \(id) on the board; somebody may have removed it"
            case .emptyTitle: "a card needs a title"
            }
        }
    }

    /// Sends what has happened.
    public let output = Output<ViewModelEvent>()
    /// The cards that nobody has begun.
    public let toDo = Rows<Card>()
    /// The cards that somebody works on.
    public let doing = Rows<Card>()
    /// The cards that are over.
    public let done = Rows<Card>()
    /// The board's name, which people see in the list of sessions; empty for the board without one.
    public let title: String
    @Saved private var lastID = 0
    private static let shownNames = 20
    /// Saved, as Views have what was told last, in a later life, too.
    @Saved private var here: [String] = []

    /// An empty board.
    ///
    /// - Parameter arguments: what the board is found by.
    public init(arguments: Arguments = Arguments()) { title = arguments.board ?? "" }

    /// All cards, and who is here.
    public func snapshot() -> [ViewModelEvent] { [.all(Column.allCases.flatMap { self[$0].all }), .here(here)] }

    /// Tells who is here.
    public func viewersDidChange(_ viewers: [Client]) {
        let names = Array(Set(viewers.compactMap(\.principal)).sorted().prefix(Self.shownNames))
        guard names != here else { return }
        here = names
        output.send(.here(here))
    }

    /// Changes the board.
    ///
    /// - Throws: `Failure`; then nothing changes.
    public func handle(event: ViewEvent) throws {
        let person = Client.current?.principal
        switch event {
        case .add(let title):
            let card = Card(id: lastID + 1, title: try Self.checked(title), column: .toDo, by: person)
            lastID = card.id
            toDo.append(card)
            output.send(.card(card))
        case .move(let id, let column):
            var (card, index) = try find(id)
            self[card.column].remove(at: index)
            (card.column, card.by) = (column, person)
            self[column].append(card)
            output.send(.card(card))
        case .rename(let id, let title):
            var (card, index) = try find(id)
            (card.title, card.by) = (try Self.checked(title), person)
            self[card.column].update(card, at: index)
            output.send(.card(card))
        case .remove(let id):
            var (card, index) = try find(id)
            self[card.column].remove(at: index)
            card.by = person
            output.send(.removed(card))
        }
    }

    private static func checked(_ title: String) throws -> String {
        guard title.contains(where: { !$0.isWhitespace }) else { throw Failure.emptyTitle }
        return title
    }

    private subscript(column: Column) -> Rows<Card> {
        switch column {
        case .toDo: toDo
        case .doing: doing
        case .done: done
        }
    }

    private func find(_ id: Int) throws -> (card: Card, index: Int) {
        for column in Column.allCases {
            let cards = self[column].all
            if let index = cards.firstIndex(where: { $0.id == id }) { return (cards[index], index) }
        }
        throw Failure.noCard(id: id)
    }
}
