import JSON
import JSONRPC
import Sessions
import ViewModelProtocol

/// An opening that its client can send again, by the `once` in it.
struct RepeatableOpening: Sendable {
    /// A secret of the client, as the session's key is one of the server.
    let once: String
    private let viewModel: String
    /// The hash of the arguments' text. It only notices a client's mistake, so the text itself isn't needed.
    private let argumentsHash: Int

    /// Nil for an opening without `once`.
    ///
    /// - Throws: `InvalidParams` for one that is too short for a secret, or too long to be kept.
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

    /// The opening that made a stored session.
    init(once: String, of session: StoredSession.Header) {
        self.once = once
        viewModel = session.viewModel
        argumentsHash = Self.hash(of: session.arguments)
    }

    private static func hash(of arguments: [UInt8]?) -> Int {
        StoredScene.value(of: arguments).hashValue
    }

    /// Checks that a client means the same session by both.
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

/// The sessions that live and whose openings can be sent again. At most one opening for each session; `ServerCore` guards it.
struct RepeatableOpenings {
    private var openings: [String: (opening: RepeatableOpening, session: Session)] = [:]
    /// By the keys of their sessions.
    private var onces: [String: String] = [:]

    /// The session that an opening has made; nil where it has made none, or one that has ended.
    ///
    /// - Throws: `InvalidParams` where it was another opening.
    func session(of opening: RepeatableOpening) throws(RPCError) -> Session? {
        guard let (first, session) = openings[opening.once], !session.hasEnded else { return nil }
        try first.check(opening)
        return session
    }

    /// - Parameter session: lives, and has none.
    mutating func add(_ opening: RepeatableOpening, _ session: Session) {
        if let (_, ended) = openings.updateValue((opening, session), forKey: opening.once) { onces[ended.key] = nil }
        onces[session.key] = opening.once
    }

    mutating func remove(_ session: Session) {
        // The next life of a stored session may have its opening by now.
        guard !onces.isEmpty, let once = onces[session.key], openings[once]?.session === session else { return }
        onces[session.key] = nil
        openings[once] = nil
    }
}
