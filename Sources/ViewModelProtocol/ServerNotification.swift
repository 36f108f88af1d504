/// A notification that the server sends: its name and its params.
///
/// A conforming type is never made. Its doc comments become descriptions, as those of a `ClientMethod` do. A new
/// notification is a file in `Notifications/` and a line in `ServerNotifications.all`.
package protocol ServerNotification: Sendable {
    /// An object with exactly these members; those that are nil are absent.
    associatedtype Params: Codable & Sendable

    static var name: StaticString { get }
    /// Each occurs in a transcript of `Tests/Transcripts`.
    static var examples: [MessageExample] { get }
}

/// The notifications of the protocol.
package enum ServerNotifications {
    /// In the order of the reference.
    package static let all: [any ServerNotification.Type] = [
        ViewModelEvent.self, NavigationPush.self, NavigationPresent.self, NavigationPop.self,
        NavigationDismiss.self, SessionClosed.self, SessionViewsChanged.self, Progress.self, LogMessage.self,
        LogTrace.self,
    ]
}
