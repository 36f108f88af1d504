/// Every notification that the server sends.
enum Notification: String, CaseIterable {
    case viewModelEvent = "viewModel/event"
    case navigationPush = "navigation/push"
    case navigationPresent = "navigation/present"
    case navigationPop = "navigation/pop"
    case navigationDismiss = "navigation/dismiss"
    case sessionClosed = "session/closed"
    case progress = "$/progress"
    case logMessage = "window/logMessage"
    case logTrace = "$/logTrace"
}
