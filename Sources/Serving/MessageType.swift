/// The Language Server Protocol's `MessageType`.
enum MessageType: Int {
    case error = 1
    case warning = 2
    case info = 3
    case log = 4
}
