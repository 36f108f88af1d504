public import ViewModels

// Lesson 6: lists of any length.
//
// A `Rows` is a stored constant beside the output. Views are told how many rows there are and what has changed, and ask
// for the rows that they show: a million are as quick to open as a hundred. The rows of `numbers` are made when somebody
// looks at them. Those of `chosen` are kept, and have an identity, so that a View's selection stays where it is when rows
// above it come and go.
//
// What was chosen comes back in the session's next life, as a list that is kept is saved with the rest of the state.

/// A million numbers with their squares, of which some can be chosen.
public actor NumbersViewModel: ViewModel, DurableViewModel {
    /// The arguments that a session is opened with.
    public struct Arguments: Codable, Sendable {
        /// How many numbers there are, at most 1,000,000; 1,000 when it is left out.
        public var count: Int?

        /// A wish for numbers.
        ///
        /// - Parameter count: how many there are; 1,000 when it is nil.
        public init(count: Int? = nil) {
            self.count = count
        }
    }

    /// The user's actions.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Chooses the number at this place of `numbers`, from 0.
        case choose(index: Int)
        /// Gives back the number at this place of `chosen`, from 0.
        case giveBack(index: Int)
    }

    /// The contents of the View, beside the lists.
    public enum ViewModelEvent: Codable, Sendable, Equatable {
        /// The sum of the squares of all chosen numbers.
        case sum(Int)
    }

    /// A number with its square.
    public struct Number: Codable, Sendable, Equatable, Identifiable {
        /// The number.
        public var id: Int
        /// The number times itself.
        public var square: Int

        init(_ number: Int) {
            id = number
            square = number * number
        }
    }

    /// There is no number at a place.
    public struct NoSuchNumber: Error, CustomStringConvertible {
        /// A sentence for the user.
        public let description: String
    }

    /// Sends the sum.
    public let output = Output<ViewModelEvent>()
    /// All numbers from 0 on.
    public let numbers: Rows<Number>
    /// The chosen numbers, in the order in which they were chosen.
    public let chosen = Rows<Number>()

    /// Numbers of which none is chosen.
    public init(arguments: Arguments) {
        let count = min(max(arguments.count ?? 1_000, 0), 1_000_000)
        numbers = Rows(count: count) { range in range.map { Number($0) } }
    }

    /// Sends the sum.
    public func start() {
        for event in snapshot() { output.send(event) }
    }

    /// The sum. The lists have snapshots of their own.
    public func snapshot() -> [ViewModelEvent] {
        [.sum(chosen.all.reduce(0) { $0 + $1.square })]
    }

    /// Chooses a number, unless it is chosen, or gives one back.
    ///
    /// - Throws: `NoSuchNumber`.
    public func handle(event: ViewEvent) async throws {
        switch event {
        case .choose(let index):
            guard (0..<numbers.count).contains(index),
                let number = try await numbers.rows(in: index..<index + 1).first
            else {
                throw NoSuchNumber(description: "there is no number at \(index)")
            }
            guard !chosen.all.contains(number) else { return }
            chosen.append(number)
        case .giveBack(let index):
            guard chosen[index] != nil else { throw NoSuchNumber(description: "no number is chosen at \(index)") }
            chosen.remove(at: index)
        }
        for event in snapshot() { output.send(event) }
    }
}
