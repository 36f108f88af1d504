import JSON

extension ClientCore {
    /// What a request is answered with; the value is borrowed for the call.
    typealias Reply = (Result<JSONValue, any Error>) -> Void

    /// A request of this client.
    struct Call {
        let method: StaticString
        /// By which whoever asked cancels it; 0 where nobody can.
        let ticket: Int
        /// Whether it may be sent again when nobody knows if it was done.
        let isRepeatable: Bool
        /// Its view keeps it.
        let isViewEvent: Bool
        /// Writes the members of the params, each time that it is sent.
        let params: (inout JSONWriter) -> Void
        /// Called once.
        let reply: Reply
        var isCancelled = false

        init(
            _ method: StaticString, ticket: Int = 0, isRepeatable: Bool = false, isViewEvent: Bool = false,
            params: @escaping (inout JSONWriter) -> Void = { _ in }, reply: @escaping Reply
        ) {
            self.method = method
            self.ticket = ticket
            self.isRepeatable = isRepeatable
            self.isViewEvent = isViewEvent
            self.params = params
            self.reply = reply
        }
    }
}
