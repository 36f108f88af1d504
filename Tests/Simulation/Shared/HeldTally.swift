/// A session as a client holds it, over all of its connections.
final class HeldTally {
    var key: String?
    /// Sent again until it is answered.
    let opening: String?
    /// Its name where it is everyone's, so that nobody ends it.
    let common: String?
    /// As far as it is known.
    var viewModel: String
    /// The view's number on this connection.
    var view: Int?
    var isArriving = false
    /// The newest number that came.
    var seq = 0
    /// As the server names its history; nil where it doesn't.
    var epoch: String?
    /// The next attachment asks for a snapshot.
    var needsSnapshot = false
    /// It has ended, as it may.
    var isGone = false
    /// Events whose answers haven't come, by their numbers.
    var pending: [(number: Int, deed: TallyDeed, text: String)] = []
    var lastNumber = 0
    /// The highest that was answered.
    var answered = 0

    init(key: String?, opening: String?, common: String? = nil, viewModel: String = "tally") {
        (self.key, self.opening, self.common, self.viewModel) = (key, opening, common, viewModel)
    }
}
