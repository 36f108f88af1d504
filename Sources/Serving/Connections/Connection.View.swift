import Sessions

extension Connection {
    /// One attachment to a session. Confined to its connection's loop.
    final class View {
        /// What the client calls it.
        let number: Int
        let session: Session
        /// Names the view in its session.
        let id: Int
        /// Nothing is sent for a view before its `session/open` or `session/attach` is answered.
        var isAnswered = false
        /// Its answer waits for a snapshot: see `Connection.arrivals`, which outlives the view.
        var isArriving = false
        /// Its session has told that there is something to take, and not all of it has been taken.
        var hasNews = false
        /// How many bytes its session had sent when the outbox last counted them.
        var countedBytes = 0

        init(number: Int, session: Session, id: Int) {
            self.number = number
            self.session = session
            self.id = id
        }
    }
}
