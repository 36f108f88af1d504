/// Asks for an answer, which comes at once whatever the server does, and whether others wait for its store.
package enum Ping: ClientMethod {
    package static let name: StaticString = "ping"
    package typealias Params = NoParams
    package typealias Result = Nullable<StoreTrouble>

    /// What this client asked for waits for a store that can't be used, or is refused until it can.
    package struct StoreTrouble: Codable, Sendable {
        /// Why, for people: the message that `StoreUnavailable` has.
        package var storeUnavailable: String

        package init(storeUnavailable: String) { self.storeUnavailable = storeUnavailable }
    }

    package static let examples = [MessageExample("nothing waits for the store", result: "null")]
}
