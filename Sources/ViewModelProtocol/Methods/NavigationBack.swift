package import JSONRPC

/// The user left a child, which is taken off as its view model would have done it. A view model may refuse.
package enum NavigationBack: ClientMethod {
    package static let name: StaticString = "navigation/back"
    package typealias Result = Null
    package static let errors: [ErrorCode] = [
        .requestCancelled, .unknownSession, .storeUnavailable, .forbidden,
    ]

    package struct Params: Codable, Sendable {
        /// The child's view.
        package var session: ViewNumber

        package init(session: ViewNumber) { self.session = session }
    }

    package static let examples = [
        MessageExample("leaving a pushed child", #"{"session":2}"#, result: "null")
    ]
}
