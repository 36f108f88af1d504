/// A view model whose sessions outlive their process, on a server that has a store.
///
/// After a crash, a deploy or a time without views the view model is made again and goes on from its saved state. Its
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
/// **Turns.** When a handler has returned, the state, the events that it sent and the number of its view event are
/// stored together. Only then do Views get the events. So they see nothing of a handler that still runs, and
/// `Output.stream(_:)` doesn't wait for them there. Long work belongs in a task of the view model's own: its events are
/// stored in groups, each with the state as it is then.
///
/// The state is stored between two handlers. So a `ScheduledEvent` waits for the events before it, whatever its
/// schedule says. Where the process ends before a turn is stored, the handler runs again: what it does outside the
/// server should be safe to repeat.
///
/// **Later versions** of the code read what older ones have stored: see `VersionedState`.
///
/// **Life.** `start()` is called in a session's first life and `resume()` in each later one. `stop()` is called at the
/// end of each life, also when a session without views leaves memory. After that, everything that isn't in the saved
/// state is gone.
public protocol DurableViewModel: HostableViewModel, VersionedState {
    /// Everything that a later life goes on from. Unless a view model names a type of its own, its saved properties.
    associatedtype SavedState: Codable & Sendable = SavedProperties

    /// The state as it is now. It is stored where it differs from the one before.
    ///
    /// It is read in the view model's isolation, after each handler has returned and after events that the view model
    /// sends by itself. It must agree with the events that were sent so far. Reading it must not send any.
    ///
    /// - Throws: an error, which ends this life of the session. The next life goes on from the state that was stored
    ///   last.
    var savedState: SavedState { get async throws }

    /// Takes the state of an earlier life back. Called once in a later life, before any View is bound, so that what it
    /// sends reaches nobody.
    ///
    /// - Throws: an error, where the view model can't go on from this state. Then the session is closed with the reason
    ///   `failed`, and stays in the store.
    func restore(_ savedState: SavedState) async throws

    /// Called in each life but the first, in place of `start()`: the place to begin timers and subscriptions again.
    /// Does nothing unless implemented.
    ///
    /// The Views have every event so far, so it sends only what has changed meanwhile. No view model of its session handles an
    /// event before all of them have returned from this.
    ///
    /// - Throws: an error, where the view model can't go on. Then the session is closed with the reason `failed`, and
    ///   stays in the store.
    func resume() async throws

    /// The stored names of saved properties that have another name in Swift now; see `VersionedState`.
    associatedtype CodingKeys: CodingKey = UnchangedNames
}

extension DurableViewModel {
    /// Does nothing.
    public func resume() {}
}

extension DurableViewModel where SavedState == SavedProperties {
    /// The stored properties that are `@Saved`, `@Observed` or a `Dynamic`.
    public var savedState: SavedProperties { SavedProperties() }

    /// Does nothing, since the properties have their values by then.
    public func restore(_ savedState: SavedProperties) {}
}

/// The state of a `DurableViewModel` without a state type of its own: its stored properties that are `@Saved`,
/// `@Observed` or a `Dynamic`.
///
/// They are found by reflection, and saved one by one. Lists (`Rows`) are among them. You make a value only where an
/// older state is read:
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
    /// The new values, by the names of properties.
    package let values: [String: any Encodable & Sendable]

    /// New values for some of the properties, for `savedState(from:version:)` to return.
    ///
    /// - Parameter values: by the names of saved properties in Swift. Each is encoded, and read as the property's own type. A
    ///   name that is no saved property's, and a value that can't be read, have the effect of an error of that
    ///   function. Properties without a value here keep the one that they were made with.
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
