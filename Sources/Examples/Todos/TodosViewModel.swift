public import ViewModels

/// A list of things to do, told as a whole whenever something about it changed: the shortest way to write a view model
/// whose state is small.
public actor TodosViewModel: NotifyingViewModel {
    /// What the View shows.
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

    /// What the user did.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Wrote another one down.
        case add(title: String)
        /// Did it, or not after all.
        case toggle(id: Int)
        /// Took those off that are done.
        case removeDone
    }

    /// What a request is answered with when it makes no sense.
    public enum Failure: Error, Equatable, CustomStringConvertible {
        /// There is no item with this id.
        case noItem(id: Int)
        /// A title with nothing in it.
        case emptyTitle

        /// A sentence for whoever sent the event.
        public var description: String {
            switch self {
            case .noItem(let id): "there is nothing to do with id \(id)"
            case .emptyTitle: "a thing to do needs a title"
            }
        }
    }

    /// Raised after each change of `state`.
    public nonisolated let changed = Event<Void>()
    private var items: [Item] = []
    private var lastID = 0

    /// An empty list.
    public init() {}

    /// The whole list as it is now.
    public var state: State { State(items: items, remaining: items.count { !$0.isDone }) }

    /// - Throws: `Failure`.
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
