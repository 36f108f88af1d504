/// Asks how many sessions have a view on this connection.
package enum SessionCount: ClientMethod {
    package static let name: StaticString = "session/count"
    package typealias Params = NoParams

    /// How many sessions have a view on this connection.
    package struct Result: Codable, Sendable {
        package var count: Count

        package init(count: Count) { self.count = count }
    }

    package static let examples = [MessageExample("none", result: #"{"count":0}"#)]
}
