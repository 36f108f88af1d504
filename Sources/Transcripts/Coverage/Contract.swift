package import JSONRPC

/// All that a server can be asked and can say: what coverage is measured against.
package struct Contract: Sendable {
    package struct ViewModel: Sendable {
        package var name: String
        /// The kinds of events that it takes; nil when they aren't known.
        package var viewEvents: [String]?
        /// The kinds of events that it sends; nil when they aren't known.
        package var viewModelEvents: [String]?

        package init(name: String, viewEvents: [String]?, viewModelEvents: [String]?) {
            self.name = name
            self.viewEvents = viewEvents
            self.viewModelEvents = viewModelEvents
        }
    }

    /// What clients send: requests and notifications.
    package var methods: [String]
    /// What the server sends.
    package var notifications: [String]
    package var errorCodes: [ErrorCode]
    package var viewModels: [ViewModel]

    package init(methods: [String], notifications: [String], errorCodes: [ErrorCode], viewModels: [ViewModel]) {
        self.methods = methods
        self.notifications = notifications
        self.errorCodes = errorCodes
        self.viewModels = viewModels
    }
}
