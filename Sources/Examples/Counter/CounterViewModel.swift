public import ViewModels

// Lesson 2: events in both directions.
//
// A `ViewModel` has two enums: `ViewEvent` is what a View may send, `ViewModelEvent` what it is sent. The cases and
// their values are the JSON on the wire. A client opens it with `Arguments`, which are decoded before the view model
// is made. An error that `handle(event:)` throws is the answer to that event alone, and its description is shown to
// the user.

/// A number that goes up and down, and a hundred rows to load.
///
/// It is durable: on a server with a store the count goes on where it was, in the next process too.
public actor CounterViewModel: ViewModel, DurableViewModel {
    /// The arguments that a session is opened with.
    public struct Arguments: Codable, Sendable {
        /// The first count; 0 when it is left out.
        public var start: Int?

        /// - Parameter start: the first count; 0 when it is nil.
        public init(start: Int? = nil) {
            self.start = start
        }
    }

    /// The user's actions.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Adds to the count; may be negative.
        case increment(by: Int)
        /// Goes back to the first count.
        case reset
        /// Loads the rows.
        case load
    }

    /// The contents of the View.
    public enum ViewModelEvent: Codable, Sendable, Equatable {
        /// The count, at the start too.
        case count(Int)
        /// All rows, in order.
        case rows([Row])
    }

    /// One line of the table.
    public struct Row: Codable, Sendable, Equatable {
        /// Counts from 0.
        public var id: Int
        /// "Order #7".
        public var name: String
        /// Where the order is.
        public var status: String
        /// Its price.
        public var total: Double
    }

    /// The count would leave 64 bits; it stays as it was.
    public struct Overflow: Error, CustomStringConvertible {
        /// A sentence for the user.
        public let description: String
    }

    /// Sends the count and the rows.
    public let output = Output<ViewModelEvent>()
    private let first: Int
    @Saved private var count: Int

    /// A counter that hasn't sent its count yet.
    public init(arguments: Arguments = Arguments()) {
        first = arguments.start ?? 0
        _count = Saved(wrappedValue: first)
    }

    /// Sends the first count.
    public func start() {
        output.send(.count(count))
    }

    /// Changes the count, or loads the rows.
    ///
    /// - Throws: `Overflow` for an increment that is too large.
    public func handle(event: ViewEvent) throws {
        switch event {
        case .increment(let amount): try add(amount)
        case .reset: set(first)
        case .load: output.send(.rows(Self.rows))
        }
    }

    private func add(_ amount: Int) throws {
        let (sum, overflows) = count.addingReportingOverflow(amount)
        guard !overflows else { throw Overflow(description: "\(count) + \(amount) is beyond what a counter can hold") }
        set(sum)
    }

    private func set(_ count: Int) {
        self.count = count
        output.send(.count(count))
    }

    private static let rows = (0..<100).map { Row(id: $0, name: "Order #\($0)", status: "shipped", total: 123.45) }
}
