/// A list of a view model on a server, of any length: the rows that a View shows are here, and as many around them.
///
/// ```swift
/// let orders = try remote.list("orders", of: Order.self)
/// orders.show(0..<40)
/// for await change in orders.changes {
///     table.reload(change.rows)
/// }
/// ```
///
/// Where the connection is lost, `rows` stays as it is. Once it is back, the changes that were missed follow, or any
/// row may be another; what was asked for is asked for again.
///
/// It keeps the session of its view model, and ends with that. Everything may be called on any thread.
public final class RemoteList<Row: Decodable & Sendable>: Sendable {
    /// The name of the view model's property.
    public let name: String
    private let view: ClientView
    private let id: Int
    private let board = ListBoard<Row>()

    init(_ name: String, of view: ClientView) {
        self.name = name
        self.view = view
        id = view.client.nextNumber()
        view.withRecord { [id, board] record, core in
            guard let record else { return board.end() }
            record.lists.add(ListRecord(name, of: record, core, board), as: id)
        }
    }

    deinit {
        view.withRecord { [id] record, _ in record?.lists.remove(id) }
    }

    /// The rows as they are now; none before the server has told of any.
    public var rows: RemoteRows<Row> { board.newest.rows }

    /// The reason why the rows that are shown don't come: the words of the error with which the view model didn't make
    /// them, or the server's. They are asked for again at the next change of the list, or `show(_:)`.
    public var failure: RemoteError? { board.newest.failure }

    /// Has rows here from now on, and as many before and behind them, so that scrolling finds them. Rows that are far
    /// from them are let go.
    ///
    /// It doesn't wait: `changes` tells when rows have come. Where the list has changed and they are here no longer,
    /// they are asked for again.
    ///
    /// - Parameter range: of a thousand rows at most, of which the first count; what is beyond the end is left out.
    public func show(_ range: Range<Int>) {
        view.withRecord { [id] record, _ in record?.lists.show(range, of: id) }
    }

    /// The rows in a range, as far as the list has any, all as they are when this returns; nil for one whose JSON isn't a
    /// `Row`.
    ///
    /// The server is asked as often as it must be where they are many, and again where the list changes meanwhile. They
    /// aren't kept, and the window stays. Cancelling the task gives them up.
    ///
    /// - Throws: `RemoteError`: `refused` where there is no such list, or the rows can't be made; the reason why the
    ///   session has ended. `CancellationError` when the task is cancelled.
    public func rows(in range: Range<Int>) async throws -> [Row?] {
        try await view.rows(of: name, in: range, as: Row.self)
    }

    /// The changes from now on, in their order; the first is the list as it is.
    ///
    /// Each iterator has all of them. Changes that come while it isn't asked are joined to one, so none takes memory
    /// for long. It ends when the session does, or its task is cancelled.
    public var changes: Changes { Changes(list: self) }

    /// The changes of a list.
    public struct Changes: AsyncSequence, Sendable {
        fileprivate let list: RemoteList

        /// Gives changes from now on.
        public func makeAsyncIterator() -> Iterator {
            Iterator(list)
        }
    }

    /// Gives the changes of a list. It keeps the list.
    public struct Iterator: AsyncIteratorProtocol {
        private let list: RemoteList
        private let box: ListChangeBox<Row>
        private var bell: AsyncStream<Void>.Iterator

        fileprivate init(_ list: RemoteList) {
            self.list = list
            box = list.board.makeBox()
            bell = box.bell.makeAsyncIterator()
        }

        /// The next change; nil at the end.
        public mutating func next() async -> RemoteListChange<Row>? {
            await next(isolation: #isolation)
        }

        /// The next change; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> RemoteListChange<Row>? {
            while true {
                if let change = box.take() { return change }
                // A change may have come with the end.
                guard await bell.next(isolation: actor) != nil else { return box.take() }
            }
        }
    }
}
