/// The refusal of an argument that a view model can't be made with: thrown by its initializer, or by the closure that
/// makes it.
///
/// ```swift
/// init(arguments: Arguments) throws {
///     guard (0...100_000).contains(arguments.count) else {
///         throw InvalidArgument("count", "\(arguments.count) is not between 0 and 100000")
///     }
///     count = arguments.count
/// }
/// ```
///
/// The client that opens the view model is answered `InvalidParams` with the path `/arguments/count` and the reason.
/// Members that the arguments don't have, and values of another type, are refused before, by themselves.
public struct InvalidArgument: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names of the members that lead to the value, the outermost first: `["filter", "from"]` for
    /// `{"filter":{"from":…}}`, with an index for an element of an array.
    public let path: [String]
    /// A phrase for a person: what is wrong with the value, and which values can be taken.
    public let reason: String

    /// Refuses a member of the arguments.
    ///
    /// - Parameters:
    ///   - member: its name in JSON.
    ///   - reason: as in `reason`.
    public init(_ member: String, _ reason: String) {
        self.init(path: [member], reason)
    }

    /// Refuses a value within the arguments.
    ///
    /// - Parameters:
    ///   - path: as in `path`; empty where the arguments as a whole can't be taken.
    ///   - reason: as in `reason`.
    public init(path: [String], _ reason: String) {
        self.path = path
        self.reason = reason
    }

    /// `filter/from: …`
    public var description: String { path.isEmpty ? reason : "\(path.joined(separator: "/")): \(reason)" }
}
