/// State in a store that a later version of the code reads: the state of a `DurableViewModel`, the properties of a
/// `DurableSingleton`, or the arguments of a view model (`DurableArguments`). All three read older versions in the same way.
///
/// **A new name** in the code needs no new version: `CodingKeys` keep the stored name. In a view model and in a shared object
/// they list only the saved properties whose stored names differ:
///
/// ```swift
/// enum CodingKeys: String, CodingKey {
///     case sum = "total"
/// }
/// ```
///
/// **A new form** needs a new version, and a function that reads the older ones:
///
/// ```swift
/// static let savedStateVersion = 2
///
/// static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
///     struct VersionOne: Decodable { var total: Int }
///     return SavedProperties(["numbers": [try VersionOne(from: decoder).total]])
/// }
/// ```
///
/// What can't be read stays in the store, for code that can.
public protocol VersionedState {
    /// The type that `savedState(from:version:)` makes of what an older version has stored.
    associatedtype SavedState

    /// The version that is stored: 1 unless implemented. Raise it when what is stored can't be read any more.
    ///
    /// Saved properties need no new version where one is added, taken away, or renamed with `CodingKeys`. One that is
    /// added has its first value.
    static var savedStateVersion: Int { get }

    /// Reads what was stored under another `savedStateVersion`.
    ///
    /// - Parameters:
    ///   - decoder: reads what is stored. Saved properties are an object with a member for each, under its stored name.
    ///   - version: the version that it was stored under: a higher one where newer code stored it.
    /// - Throws: an error, where it can't be read. Unless implemented, always an error that names both versions. Then the
    ///   session fails, and stays in the store.
    static func savedState(from decoder: any Decoder, version: Int) throws -> SavedState
}

extension VersionedState {
    /// The first version.
    public static var savedStateVersion: Int { 1 }

    /// Refuses what is stored.
    ///
    /// - Throws: always, an error that names both versions.
    public static func savedState(from decoder: any Decoder, version: Int) throws -> SavedState {
        throw UnknownStateVersion(
            version: version, current: savedStateVersion, isOfArguments: Self.self is any DurableArguments.Type)
    }
}

/// Arguments of a durable view model that have versions.
///
/// The arguments that a session was made with are stored, and read when it is made again. Arguments of any `Codable` type
/// are; those that conform to this can read what an older version of the code has stored:
///
/// ```swift
/// struct ShopArguments: Codable, DurableArguments {
///     var orderIDs: [Int]
///
///     static let savedStateVersion = 2
///
///     static func savedState(from decoder: any Decoder, version: Int) throws -> ShopArguments {
///         struct VersionOne: Decodable { var orderID: Int }
///         return ShopArguments(orderIDs: [try VersionOne(from: decoder).orderID])
///     }
/// }
/// ```
///
/// They stay stored as they were given. So the function reads each version that any stored session has.
public protocol DurableArguments: VersionedState, Decodable, Sendable where SavedState == Self {}

/// The `CodingKeys` of a type that has none: its saved properties are stored under their own names.
public enum UnchangedNames: CodingKey {}

/// The error for what is stored in another version, where nothing says how to read it.
package struct UnknownStateVersion: Error, CustomStringConvertible {
    let version: Int
    let current: Int
    let isOfArguments: Bool

    package init(version: Int, current: Int, isOfArguments: Bool) {
        (self.version, self.current, self.isOfArguments) = (version, current, isOfArguments)
    }

    package var description: String {
        let subject = isOfArguments ? "its arguments were" : "its state was"
        guard version < current else {
            return "\(subject) saved in version \(version) by newer code, and this is version \(current)"
        }
        return """
            \(subject) saved in version \(version), and this is version \(current); implement \
            savedState(from:version:)
            """
    }
}
