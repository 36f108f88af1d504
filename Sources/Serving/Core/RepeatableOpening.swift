import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// A `session/open` that makes no second session: one that its client can send again, which is recognized by its `once`, or
/// one of a scope in which the session is found.
struct RepeatableOpening: Sendable {
    /// The client's secret for the opening, as the key is the server's for the session; or the place of the session in its
    /// scope.
    let once: String
    private let viewModel: String
    /// The hash of the arguments' text; nil where `once` has the arguments. It only notices a client's mistake, so the text
    /// itself isn't needed.
    private let argumentsHash: Int?
    /// The arguments as they were given, of a session that is found in its scope: one that isn't stored has them nowhere else.
    let given: JSONText?

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
        guard !once.hasPrefix(Self.scopePrefix) else {
            throw .invalidParams(at: Self.path, "it begins with \(Self.scopePrefix), as only a server's does")
        }
        self.once = once
        viewModel = params.viewModel
        argumentsHash = params.arguments.hashValue
        given = nil
    }

    /// Makes the opening of a session that is found in its scope.
    ///
    /// - Parameters:
    ///   - scope: `person` or `everyone`.
    ///   - arguments: the text that equal arguments have.
    ///   - given: the arguments as they were given.
    ///   - person: whose session it is, in the scope `person`.
    /// - Throws: `InvalidParams` where the arguments are too long for a name.
    init(
        _ scope: SessionScope, _ viewModel: String, arguments: JSONText, given: JSONText?, person: String
    ) throws(RPCError) {
        guard arguments.bytes.count <= Self.longestArguments else {
            let reason =
                "they have \(arguments.bytes.count) bytes; a session is found by \(Self.longestArguments) at most"
            throw .invalidParams(at: Params.path("arguments"), reason)
        }
        let place = JSONText { writer in
            writer.beginArray()
            writer.string(scope.rawValue)
            if scope == .person { writer.string(person) }
            writer.string(viewModel)
            writer.raw(arguments.bytes)
            writer.endArray()
        }
        once = "\(Self.scopePrefix)\(place)"
        self.viewModel = viewModel
        argumentsHash = nil
        self.given = given
    }

    /// Makes the opening that has made a stored session.
    init(once: String, of session: StoredSession.Header) {
        self.once = once
        viewModel = session.viewModel
        argumentsHash = once.hasPrefix(Self.scopePrefix) ? nil : Self.hash(of: session.arguments)
        given = nil
    }

    fileprivate static let scopePrefix = SceneFilter.scopePrefix
    /// Bytes. A store has the arguments in a key, besides where it has them anyway.
    private static let longestArguments = 16 << 10

    /// Returns the scope in which the session is found; `each` where its view model has another scope by now.
    func scope(in registry: Registry) -> SessionScope {
        let scope = registry.scope(of: viewModel)
        return once.hasPrefix(#"\#(Self.scopePrefix)["\#(scope.rawValue)","#) ? scope : .each
    }

    /// Reads the arguments of a session that is found in its scope. Runs the code of their type.
    ///
    /// - Parameter arguments: returns the text that equal arguments have.
    static func read(
        _ scope: SessionScope, _ viewModel: String, given: JSONText?, person: String,
        _ arguments: () throws -> JSONText
    ) -> Result<RepeatableOpening, RPCError> {
        do {
            return .success(
                try RepeatableOpening(scope, viewModel, arguments: arguments(), given: given, person: person))
        } catch {
            return .failure((error as? RPCError) ?? RPCError(opening: .failed(error)))
        }
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

extension StoredScene.Header {
    /// Who finds the session by opening its view model: "everyone", or a person; nil where only its key finds it.
    package var finder: String? {
        scopeWords.map { words in
            words.first == SessionScope.person.rawValue && words.count > 1 ? words[1] : words.first
        } ?? nil
    }

    /// The person for whom the session was opened. Where only its key finds it, that is the principal who opened it, or the
    /// user whose server it is.
    var person: String {
        if let words = scopeWords, words.first == SessionScope.person.rawValue, words.count > 1 { return words[1] }
        return Owner.person(ofStored: owner)
    }

    private var scopeWords: [String]? {
        guard let once, once.hasPrefix(RepeatableOpening.scopePrefix) else { return nil }
        let place = Array(once.utf8.dropFirst(RepeatableOpening.scopePrefix.utf8.count))
        return place.withUnsafeBytes { bytes in
            var words: [String] = []
            (try? JSONValue(validating: bytes))?.forEachElement { word in
                if let word = word.string() { words.append(word) }
            }
            return words
        }
    }
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

    /// Returns the arguments with which a session of a scope was opened; nil where none were given, or the session is stored.
    func arguments(of session: Session) -> JSONText? { onces[session.key].flatMap { openings[$0]?.opening.given } }

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
