/// What a client tells of its connection, beside what it tells of views.
package enum ClientNews: Sendable, Equatable {
    case state(RemoteState)
    /// From the server's `window/logMessage`: the Language Server Protocol's type, 1 for an error, and the message.
    case log(type: Int, String)
    /// Something came that had no effect, in words.
    case ignored(String)
}
