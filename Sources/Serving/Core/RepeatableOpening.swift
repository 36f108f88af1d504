import JSON
import JSONRPC
import Sessions
import ViewModelProtocol

/// A `session/open` that its client can send again without making a second session. It is recognized by its `once`.
struct RepeatableOpening: Sendable {
    /// The client's secret for the opening, as the key is the server's for the session.
    let once: String
    private let viewModel: String
    /// The hash of the arguments' text. It only notices a client's mistake, so the text itself isn't needed.
    private let argumentsHash: Int

    /// Takes the opening out of the params; nil where they have no `once`.
    ///
    /// - Throws: `InvalidParams` for a `once` that is too short for a secret, or too long to be kept.
    init?(_ params: SessionOpen.Params) throws(RPCError) {
        guard let once = params.once?.rawValue else { return nil }
        let (count, lengths) = (once.unicodeScalars.count, OnceText.lengths)
        guard lengths.contains(count) else {
            let reason = "it has \(count) characters; make \(lengths.lowerBound) to \(lengths.upperBound) at random"
            throw .invalidParams(at: Self.path, reason)
        }
        self.once = once
        viewModel = params.viewModel
        argumentsHash = params.arguments.hashValue
    }

    /// Makes the opening that has made a stored session.
    init(once: String, of session: StoredSession.Header) {
        self.once = once
        viewModel = session.viewModel
        argumentsHash = Self.hash(of: session.arguments)
    }

    private static func hash(of arguments: [UInt8]?) -> Int {
        StoredScene.value(of: arguments).hashValue
    }

    /// Checks that `again` means the same session as this opening.
    ///
    /// - Throws: `InvalidParams` where the view model or the arguments differ.
    func check(_ again: RepeatableOpening) throws(RPCError) {
        guard again.viewModel == viewModel, again.argumentsHash == argumentsHash else {
            let other = again.viewModel == viewModel ? "other arguments" : "another view model, \"\(viewModel)\""
            let advice = "make one for each session, and send an open again as it was"
            throw .invalidParams(at: Self.path, "it came with \(other), before; \(advice)")
        }
    }

    private static let path = Params.path("once")
}

/// The repeatable openings of the sessions in memory, at most one for each session. Guarded by `ServerSessions`.
struct RepeatableOpenings {
    private var openings: [String: (opening: RepeatableOpening, session: Session)] = [:]
    /// The `once` of each session, by the session's key.
    private var onces: [String: String] = [:]

    /// Returns the session that an opening has made; nil where it has made none, or one that has ended.
    ///
    /// - Throws: `InvalidParams` where the `once` came with another opening before.
    func session(of opening: RepeatableOpening) throws(RPCError) -> Session? {
        guard let (first, session) = openings[opening.once], !session.hasEnded else { return nil }
        try first.check(opening)
        return session
    }

    /// Adds the opening of a session.
    ///
    /// - Parameter session: a session that hasn't ended and has no opening yet.
    mutating func add(_ opening: RepeatableOpening, _ session: Session) {
        if let (_, ended) = openings.updateValue((opening, session), forKey: opening.once) { onces[ended.key] = nil }
        onces[session.key] = opening.once
    }

    mutating func remove(_ session: Session) {
        // A stored session that was made again may have this opening by now.
        guard !onces.isEmpty, let once = onces[session.key], openings[once]?.session === session else { return }
        onces[session.key] = nil
        openings[once] = nil
    }
}
