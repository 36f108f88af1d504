/// A view model whose sessions outlive their process, on a server that has a store.
///
/// After a crash, a deploy or a time without views the view model is made again, goes on from its saved state, and its
/// Views can't tell: events go on with the next number, and a view event that was answered isn't handled again.
///
/// Most view models need nothing but the name of the protocol. Each stored property that is `@Saved`, `@Observed` or a
/// `Dynamic` is saved when it has changed:
///
/// ```swift
/// actor CounterViewModel: ViewModel, DurableViewModel {
///     @Saved private var count = 0
///
///     func start() { output.send(.count(count)) }
///     func handle(event: ViewEvent) {
///         count += 1
///         output.send(.count(count))
///     }
/// }
/// ```
///
/// One that keeps its state in another way names a `SavedState`, makes it, and takes it back:
///
/// ```swift
/// actor EditorViewModel: ViewModel, DurableViewModel {
///     struct SavedState: Codable { var text: String, cursor: Int }
///
///     var savedState: SavedState { SavedState(text: buffer.text, cursor: buffer.cursor) }
///     func restore(_ savedState: SavedState) { buffer = Buffer(savedState.text, savedState.cursor) }
/// }
/// ```
///
/// **Turns.** A handler's state, its events and its number are stored together when it has returned, and told after that.
/// So an event is told when its handler has returned, and `Output.stream(_:)` doesn't wait. Work that takes long belongs in a
/// task of the view model's own, whose events are stored in groups, each with the state as it is then. Since a state is
/// stored between handlers, a `ScheduledEvent` waits for the events before it all the same. A handler may run twice where
/// the process ends before its turn is stored: what it does outside the server should be safe to repeat.
///
/// **Life.** `start()` is called in a session's first life and `resume()` in each later one. `stop()` is called at the end of
/// each life, so also when a session without views leaves memory. What a view model was told by others, and what isn't in
/// the saved state, is gone after that.
public protocol DurableViewModel: HostableViewModel {
    /// Everything that a later life goes on from. Without one of its own, a view model's saved properties.
    associatedtype SavedState: Codable & Sendable = SavedProperties

    /// The state as it is now, read in the view model's isolation after each handler that has returned, and after events of
    /// its own. Stored where it differs from the one before.
    ///
    /// It must agree with the events that were sent so far. Reading it must not send.
    ///
    /// - Throws: an error, which ends this life of the session: it goes on from the state that was stored last.
    var savedState: SavedState { get async throws }

    /// Goes on from a state. Called once in a later life, before anybody is bound, so that what it sends reaches nobody.
    ///
    /// - Throws: an error, if there is no going on from it. Then the session can't be attached, and stays in the store.
    func restore(_ savedState: SavedState) async throws

    /// Makes a state of one that was saved under another `savedStateVersion`, before `restore(_:)` is called with it.
    ///
    /// - Parameters:
    ///   - decoder: reads the older state. Saved properties are an object with a member for each.
    ///   - version: the one that it was saved under.
    /// - Throws: unless implemented, an error that names both versions; otherwise as `restore(_:)`.
    static func savedState(from decoder: any Decoder, version: Int) throws -> SavedState

    /// Called in each life but the first, in place of `start()`: timers and subscriptions begin again here. Does nothing
    /// unless implemented.
    ///
    /// The Views have every event so far, so it sends only what has changed meanwhile. No view model of its session handles an
    /// event before all of them have returned from this.
    ///
    /// - Throws: as `restore(_:)`.
    func resume() async throws

    /// The version of what is saved: 1 unless implemented. Changed when an older state can't be read any more.
    ///
    /// Saved properties need no new version where one is added, which keeps its first value, or taken away.
    static var savedStateVersion: Int { get }
}

extension DurableViewModel {
    /// The first.
    public static var savedStateVersion: Int { 1 }

    /// Does nothing.
    public func resume() {}

    /// Refuses the state.
    ///
    /// - Throws: always, an error that names both versions.
    public static func savedState(from decoder: any Decoder, version: Int) throws -> SavedState {
        throw UnknownStateVersion(version: version, current: savedStateVersion)
    }
}

extension DurableViewModel where SavedState == SavedProperties {
    /// The stored properties that are `@Saved`, `@Observed` or a `Dynamic`.
    public var savedState: SavedProperties { SavedProperties() }

    /// Does nothing, since the properties have their values by then.
    public func restore(_ savedState: SavedProperties) {}
}

/// The properties of a `DurableViewModel`, which has an example, that are `@Saved`, `@Observed` or a `Dynamic`.
///
/// They are found by reflection, and saved one by one. Values are given only where an older state is read:
///
/// ```swift
/// static let savedStateVersion = 2
///
/// static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
///     let old = try VersionOne(from: decoder)
///     return SavedProperties(["count": old.number])
/// }
/// ```
public struct SavedProperties: Codable, Sendable {
    /// By the names of properties.
    package let values: [String: any Encodable & Sendable]

    /// - Parameter values: by the names of properties; each is read as the property's own type. The other properties keep
    ///   the values that they were made with.
    public init(_ values: [String: any Encodable & Sendable] = [:]) {
        self.values = values
    }

    /// Reads nothing, since the properties have their values already.
    public init(from decoder: any Decoder) { self.init() }

    /// Writes an empty object.
    ///
    /// - Throws: the encoder's error.
    public func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: NoKeys.self)
    }

    private enum NoKeys: CodingKey {}
}

/// A state was saved by another version of a view model, which doesn't say how to go on from it.
struct UnknownStateVersion: Error, CustomStringConvertible {
    let version: Int
    let current: Int

    var description: String {
        guard version < current else {
            return "its state was saved in version \(version) by newer code, and this is version \(current)"
        }
        return
            "its state was saved in version \(version), and this is version \(current); implement savedState(from:version:)"
    }
}
