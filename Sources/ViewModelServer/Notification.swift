/// Every notification that the server sends.
enum Notification: CaseIterable {
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
    var name: StaticString {
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
}
