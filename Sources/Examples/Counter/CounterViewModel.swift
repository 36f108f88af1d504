public import ViewModels

/// A number that goes up and down, and a hundred rows to load: arguments, errors, and an event with much in it.
public actor CounterViewModel: ViewModel {
    /// What a session is opened with.
    public struct Arguments: Codable, Sendable {
        /// The first count; 0 when it is left out.
        public var start: Int?

        /// - Parameter start: the first count; 0 when it is nil.
        public init(start: Int? = nil) {
            self.start = start
        }
    }

    /// What the user did.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Adds to the count; may be negative.
        case increment(by: Int)
        /// Back to where it started.
        case reset
        /// Loads the rows.
        case load
    }

    /// What the View shows.
    public enum ViewModelEvent: Codable, Sendable, Equatable {
        /// The count, on start too.
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

    /// The count would leave 64 bits; it stays what it was.
    public struct Overflow: Error, CustomStringConvertible {
        /// What was asked for, in words.
        public let description: String
    }

    /// Where counts and rows leave.
    public let output = Output<ViewModelEvent>()
    private let first: Int
    private var count: Int

    /// A counter that hasn't told its count yet.
    public init(arguments: Arguments = Arguments()) {
        first = arguments.start ?? 0
        count = first
    }

    /// Sends the first count.
    public func start() {
        output.send(.count(count))
    }

    /// - Throws: `Overflow`.
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
