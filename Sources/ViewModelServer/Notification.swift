/// Every notification that the server sends.
enum Notification: String, CaseIterable {
    case viewModelEvent = "viewModel/event"
    case sessionClosed = "session/closed"
    case progress = "$/progress"
    case logMessage = "window/logMessage"
    case logTrace = "$/logTrace"
}
