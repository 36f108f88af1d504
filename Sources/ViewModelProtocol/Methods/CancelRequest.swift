package import JSONRPC

/// Gives up on a request. One that is answered already, or never was made, is no error: the two cross on the way.
package enum CancelRequest: ClientMethod {
    package static let name: StaticString = "$/cancelRequest"
    package static let viewEffect = ViewEffect.ofConnection
    package typealias Result = Never

    package struct Params: Codable, Sendable {
        /// The request's id.
        package var id: RequestID

        package init(id: RequestID) { self.id = id }
    }

    package static let examples = [MessageExample("a request with the id load", #"{"id":"load"}"#)]
}
