/// What a checked message is one of: within a stream the transcript's order is kept, streams may interleave.
enum MessageStream: Hashable {
    case session(Int, connection: Int)
    /// The answer to a request without a session, and the progress that was made before it.
    case request(line: Int)
    /// A line that is in no order with others.
    case line(Int)
    /// What the server sends of its own accord, about no session.
    case method(String, connection: Int)
    /// The same, where a matcher stands for the method.
    case anyMethod(connection: Int)
    case rest(connection: Int)
}
