/// Every notification that the server sends.
package enum Notification: Sendable, CaseIterable {
    case viewModelEvent
    case navigationPush
    case navigationPresent
    case navigationPop
    case navigationDismiss
    case sessionClosed
    case progress
    case logMessage
    case logTrace

    /// The method's name, of which no `String` is made to send it.
    package var name: StaticString {
        switch self {
        case .viewModelEvent: "viewModel/event"
        case .navigationPush: "navigation/push"
        case .navigationPresent: "navigation/present"
        case .navigationPop: "navigation/pop"
        case .navigationDismiss: "navigation/dismiss"
        case .sessionClosed: "session/closed"
        case .progress: "$/progress"
        case .logMessage: "window/logMessage"
        case .logTrace: "$/logTrace"
        }
    }

    private static let names = allCases.map(\.name)

    /// Nil for what this server doesn't send.
    package init?(_ name: MethodName) {
        guard let place = name.place(in: Self.names) else { return nil }
        self = Self.allCases[place]
    }
}
