public import ViewModels

// Lesson 4: a small state, sent as a whole.
//
// A `NotifyingViewModel` has one `state` and one event, `changed`. Each handler changes what it likes and then raises
// `changed`; Views are sent the state as it is then. That is the shortest way to write a view model whose state is
// small or seldom changes.

/// A list of things to do.
///
/// It is registered with the scope `person`: whoever opens it again finds their list, in another program, too.
public actor TodosViewModel: NotifyingViewModel, DurableViewModel, TitledViewModel {
    /// The arguments that a session is opened with. A person has a list for each of them.
    public struct Arguments: Codable, Sendable {
        /// The name of the list, such as "shopping"; the list without a name when it is left out.
        public var list: String?

        /// - Parameter list: the name of the list; nil for the list without a name.
        public init(list: String? = nil) {
            self.list = list
        }
    }

    /// The contents of the View.
    public struct State: Codable, Sendable, Equatable {
        /// In the order in which they were added.
        public var items: [Item]
        /// How many are still to be done.
        public var remaining: Int
    }

    /// One thing to do.
    public struct Item: Codable, Sendable, Equatable {
        /// Counts from 1, and is never used again.
        public var id: Int
        /// In the user's words.
        public var title: String
        /// Whether it was done.
        public var isDone = false
    }

    /// The user's actions.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Adds an item; its title can't be blank.
        case add(title: String)
        /// Marks an item as done, or as not done after all.
        case toggle(id: Int)
        /// Removes all items that are done.
        case removeDone
    }

    /// The answer to an event that makes no sense.
    public enum Failure: Error, Equatable, CustomStringConvertible {
        /// There is no item with this id.
        case noItem(id: Int)
        /// The title is blank.
        case emptyTitle

        /// A sentence for the user.
        public var description: String {
            switch self {
            case .noItem(let id): "there is nothing to do with id \(id)"
            case .emptyTitle: "a thing to do needs a title"
            }
        }
    }

    /// Raised after each change of `state`.
    public nonisolated let changed = Event<Void>()
    @Saved private var items: [Item] = []
    @Saved private var lastID = 0

    /// An empty list.
    ///
    /// - Parameter arguments: what the list is found by. The list itself is the same for all.
    public init(arguments: Arguments = Arguments()) {}

    /// The whole list as it is now.
    public var state: State { State(items: items, remaining: items.count { !$0.isDone }) }

    /// What a person sees of it among the sessions that they may come back to: "3 open, 1 done".
    public var title: String {
        let remaining = state.remaining
        return items.isEmpty ? "nothing to do" : "\(remaining) open, \(items.count - remaining) done"
    }

    /// Changes the list.
    ///
    /// - Throws: `Failure` for an item that isn't there or has no title; then nothing changes.
    public func handle(event: ViewEvent) throws {
        switch event {
        case .add(let title): try add(title)
        case .toggle(let id): try toggle(id)
        case .removeDone: items.removeAll { $0.isDone }
        }
        changed.raise()
    }

    private func add(_ title: String) throws {
        guard title.contains(where: { !$0.isWhitespace }) else { throw Failure.emptyTitle }
        lastID += 1
        items.append(Item(id: lastID, title: title))
    }

    private func toggle(_ id: Int) throws {
        guard let index = items.firstIndex(where: { $0.id == id }) else { throw Failure.noItem(id: id) }
        items[index].isDone.toggle()
    }
}
