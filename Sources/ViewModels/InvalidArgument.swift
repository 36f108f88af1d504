/// The refusal of a client's argument, thrown by a view model's initializer or by the closure that makes the view
/// model.
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
/// The server itself refuses members that the arguments don't have, and values of another type; then the initializer
/// isn't called.
public struct InvalidArgument: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names of the members that lead to the value, the outermost first.
    ///
    /// It is `["filter", "from"]` for `{"filter":{"from":…}}`. An element of an array has its index, counted from 0.
    public let path: [String]
    /// A phrase for a person: what is wrong with the value, and which values can be taken.
    public let reason: String

    /// Refuses a member of the arguments.
    ///
    /// - Parameters:
    ///   - member: the member's name in JSON.
    ///   - reason: a phrase for a person, as in `reason`.
    public init(_ member: String, _ reason: String) {
        self.init(path: [member], reason)
    }

    /// Refuses a value within the arguments.
    ///
    /// - Parameters:
    ///   - path: as in `path`; empty where the arguments as a whole can't be taken.
    ///   - reason: a phrase for a person, as in `reason`.
    public init(path: [String], _ reason: String) {
        self.path = path
        self.reason = reason
    }

    /// The path and the reason, as in `filter/from: …`.
    public var description: String { path.isEmpty ? reason : "\(path.joined(separator: "/")): \(reason)" }
}
