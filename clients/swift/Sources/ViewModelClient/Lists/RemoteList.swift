/// A list of a view model on a server, of any length. The rows that a View shows are in this process, and some around
/// them.
///
/// ```swift
/// let orders = try remote.list("orders", of: Order.self)
/// orders.show(0..<40)
/// for await change in orders.changes {
///     table.reload(change.rows)
/// }
/// ```
///
/// While the connection is lost, `rows` stays as it is. Once it is back, the changes that were missed follow; if the
/// server no longer has them, any row may be another. Rows that are shown are asked for again.
///
/// The list keeps the session of its view model open, and ends with it. Any thread may call any member.
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

    /// The rows as they are now; none before the server has told how many there are.
    public var rows: RemoteRows<Row> { board.newest.rows }

    /// The reason why rows that are shown don't come: the error of the view model that makes them, or the server's. Nil
    /// where they come.
    ///
    /// They are asked for again when the list changes and when `show(_:)` is called.
    public var failure: RemoteError? { board.newest.failure }

    /// Chooses the rows that are shown. They are fetched now and after each change of the list, with as many before and
    /// after them, so that scrolling finds them.
    ///
    /// It returns at once; `changes` tells when rows have come. Rows far from the range are released.
    ///
    /// - Parameter range: the indices of the rows. Of more than 1,000 the first 1,000 are taken. Those beyond the end,
    ///   and negative ones, are left out.
    public func show(_ range: Range<Int>) {
        view.withRecord { [id] record, _ in record?.lists.show(range, of: id) }
    }

    /// Fetches the rows in a range, as far as the list has them. All are of one moment.
    ///
    /// For many rows the server is asked several times, and again where the list changes meanwhile. The rows aren't
    /// kept here, and what `show(_:)` has chosen stays. While the connection is lost, this waits.
    ///
    /// - Parameter range: of any length. Indices beyond the end, and negative ones, are left out.
    /// - Returns: the rows in order; nil in the place of one whose JSON isn't a `Row`.
    /// - Throws: `RemoteError`: `refused` if there is no such list or the rows can't be made, or the error with
    ///   which the session has ended. `CancellationError` when the task is cancelled.
    public func rows(in range: Range<Int>) async throws -> [Row?] {
        try await view.rows(of: name, in: range, as: Row.self)
    }

    /// The changes from now on, in order. The first one is the list as it is.
    ///
    /// Each iterator gets all changes. Those that come between two calls of its `next()` are joined to one, so a slow
    /// reader takes no memory. An iterator ends with the session, and when its task is cancelled.
    public var changes: Changes { Changes(list: self) }

    /// The changes of a list, as `RemoteList.changes` gives them.
    public struct Changes: AsyncSequence, Sendable {
        fileprivate let list: RemoteList

        /// Makes an iterator over the changes from now on.
        public func makeAsyncIterator() -> Iterator {
            Iterator(list)
        }
    }

    /// An iterator over the changes of a list. It keeps the list.
    public struct Iterator: AsyncIteratorProtocol {
        private let list: RemoteList
        private let box: ListChangeBox<Row>
        private var bell: AsyncStream<Void>.Iterator

        fileprivate init(_ list: RemoteList) {
            self.list = list
            box = list.board.makeBox()
            bell = box.bell.makeAsyncIterator()
        }

        /// Returns the next change, as soon as there is one; nil at the end.
        public mutating func next() async -> RemoteListChange<Row>? {
            await next(isolation: #isolation)
        }

        /// Returns the next change, as soon as there is one; nil at the end. Waits in the isolation of `actor`.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> RemoteListChange<Row>? {
            while true {
                if let change = box.take() { return change }
                // A change may have come with the end.
                guard await bell.next(isolation: actor) != nil else { return box.take() }
            }
        }
    }
}
