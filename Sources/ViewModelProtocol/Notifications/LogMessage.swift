/// A message that a person should know.
package enum LogMessage: ServerNotification {
    package static let name: StaticString = "window/logMessage"

    package struct Params: Codable, Sendable {
        package var type: MessageType
        package var message: String

        package init(type: MessageType, message: String) {
            self.type = type
            self.message = message
        }
    }

    /// How bad it is: the Language Server Protocol's `MessageType`.
    package enum MessageType: Int, Codable, Sendable {
        /// An error.
        case error = 1
        /// A warning.
        case warning = 2
        /// An information.
        case info = 3
        /// For the log only.
        case log = 4
    }

    package static let examples = [
        MessageExample(
            "a view event that was sent as a notification fails",
            #"{"type":1,"message":"view/event: /event/kind: unknown kind 'decrement'"}"#)
    ]
}
