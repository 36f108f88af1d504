import JSON
package import JSONRPC

/// An error that the server answers with: its code, its name in the reference, and what its `data` holds.
package struct ProtocolError: Sendable {
    package let code: ErrorCode
    /// As the schemas and the reference have it: `UnknownSession`.
    package let name: String
    /// A sentence for the schemas and the reference.
    package let meaning: String
    /// Nil where the error has no `data`.
    package let data: (any (Codable & Sendable).Type)?
    /// Whether every error with this code has `data`.
    package let hasAlwaysData: Bool

    private init(
        _ code: ErrorCode, _ name: String, _ meaning: String, data: (any (Codable & Sendable).Type)? = nil,
        always: Bool = true
    ) {
        self.code = code
        self.name = name
        self.meaning = meaning
        self.data = data
        hasAlwaysData = data != nil && always
    }

    /// Every error, in the order of the reference: JSON-RPC's, the Language Server Protocol's, this protocol's.
    package static let all: [ProtocolError] = [
        .init(.parseError, "ParseError", "The message is not JSON, not UTF-8, or not framed."),
        .init(
            .invalidRequest, "InvalidRequest", "The message is not a JSON-RPC 2.0 message, or not allowed now.",
            data: RefusalData.self, always: false),
        .init(.methodNotFound, "MethodNotFound", "There is no such request."),
        .init(.invalidParams, "InvalidParams", "A member is missing or wrong.", data: InvalidParamsData.self),
        .init(.internalError, "InternalError", "A fault of the server, never of a view model."),
        .init(.serverNotInitialized, "ServerNotInitialized", "The request came before initialize."),
        .init(
            .requestCancelled, "RequestCancelled",
            "The request was cancelled: by $/cancelRequest, by a newer view event that supersedes it, or because the server ends.",
            data: SupersededData.self, always: false),
        .init(
            .unauthorized, "Unauthorized", "The token is wrong or missing. The server closes the connection after it."),
        .init(
            .unknownViewModel, "UnknownViewModel",
            "There is no view model of this name, or none that clients can open.", data: UnknownViewModelData.self),
        .init(
            .unknownSession, "UnknownSession",
            "There is no such view on this connection, or no session with this key."),
        .init(
            .replayUnavailable, "ReplayUnavailable",
            "The events after since are no longer kept, and no snapshot can be made.",
            data: ReplayUnavailableData.self),
        .init(
            .viewModelFailed, "ViewModelFailed",
            "The view model failed to handle the event. The session goes on, unless session/closed follows."),
        .init(.limitExceeded, "LimitExceeded", "A limit was exceeded.", data: LimitExceededData.self),
        .init(
            .storeUnavailable, "StoreUnavailable",
            "The store of durable sessions can't be reached. Nothing was handled, and a number wasn't taken.",
            data: StoreUnavailableData.self),
        .init(.forbidden, "Forbidden", "The key with which the view was attached doesn't allow this."),
    ]

    /// Every request may be answered with these.
    /// ViewModelFailed: the process that hosts the sessions ended, of a server with --isolate.
    package static let ofEveryRequest: [ErrorCode] = [
        .invalidRequest, .invalidParams, .internalError, .limitExceeded, .viewModelFailed,
    ]
    /// A response without an id has one of these, since the message couldn't be read.
    package static let withoutID: [ErrorCode] = [.parseError, .invalidRequest, .limitExceeded]
}

// The codes beside JSON-RPC's own. Neither StreamJsonRpc nor MCP uses -32010…-32017.
extension ErrorCode {
    /// The Language Server Protocol's.
    package static let serverNotInitialized = ErrorCode(rawValue: -32002)
    /// The Language Server Protocol's.
    package static let requestCancelled = ErrorCode(rawValue: -32800)
    package static let unauthorized = ErrorCode(rawValue: -32010)
    package static let unknownViewModel = ErrorCode(rawValue: -32011)
    package static let unknownSession = ErrorCode(rawValue: -32012)
    package static let replayUnavailable = ErrorCode(rawValue: -32013)
    package static let viewModelFailed = ErrorCode(rawValue: -32014)
    package static let limitExceeded = ErrorCode(rawValue: -32015)
    package static let storeUnavailable = ErrorCode(rawValue: -32016)
    package static let forbidden = ErrorCode(rawValue: -32017)
}

/// The `data` of an InvalidRequest to `navigation/back` that a view model refused.
package struct RefusalData: Codable, Sendable {
    /// Why the view model stays.
    package var refused: String

    package init(refused: String) { self.refused = refused }
}

/// The `data` of a RequestCancelled whose view event was superseded.
package struct SupersededData: ConstrainedObject {
    /// A newer event of its kind took its place. Always true.
    package var superseded: Bool

    package init() { superseded = true }

    package static let constraints = #"{"allOf":[{"properties":{"superseded":{"const":true}}}]}"#
}

/// The `data` of an InvalidParams.
package struct InvalidParamsData: ConstrainedObject {
    /// A JSON Pointer into params.
    package var path: PointerText
    /// What is wrong there.
    package var reason: String
    /// The versions of the protocol that the server speaks, after initialize with another one.
    package var supported: [String]?

    package init(path: PointerText, reason: String, supported: [String]? = nil) {
        self.path = path
        self.reason = reason
        self.supported = supported
    }

    package static let constraints = #"{"allOf":[{"properties":{"supported":{"minItems":1}}}]}"#
}

/// The `data` of an UnknownViewModel.
package struct UnknownViewModelData: Codable, Sendable {
    /// The names that the method takes.
    package var known: [String]

    package init(known: [String]) { self.known = known }
}

/// The `data` of a ReplayUnavailable.
package struct ReplayUnavailableData: Codable, Sendable {
    /// The number of the oldest event that is kept.
    package var oldest: SequenceNumber

    package init(oldest: SequenceNumber) { self.oldest = oldest }
}

/// The `data` of a LimitExceeded.
package struct LimitExceededData: Codable, Sendable {
    /// The limit's name, as the reference's table of limits has it.
    package var limit: String
    /// Milliseconds after which trying again may help. Absent where it won't.
    package var retryAfterMs: PositiveCount?

    package init(limit: String, retryAfterMs: PositiveCount? = nil) {
        self.limit = limit
        self.retryAfterMs = retryAfterMs
    }
}

/// The `data` of a StoreUnavailable.
package struct StoreUnavailableData: Codable, Sendable {
    /// Milliseconds after which trying again may help.
    package var retryAfterMs: PositiveCount

    package init(retryAfterMs: PositiveCount) { self.retryAfterMs = retryAfterMs }
}

extension RPCError {
    /// An error whose `data` is a value of the code's type.
    package init(_ code: ErrorCode, _ message: String, with data: some Encodable) {
        // Only numbers that JSON doesn't have can't be encoded, and `data` has none.
        self.init(code, message, data: (try? JSONText(encoding: data))?.bytes)
    }

    /// - Parameters:
    ///   - reason: ends before a colon and the names.
    ///   - known: the names that can be asked for instead.
    package static func unknownViewModel(_ reason: String, known: [String]) -> RPCError {
        let list = known.isEmpty ? "none" : known.joined(separator: ", ")
        return RPCError(.unknownViewModel, "\(reason): \(list)", with: UnknownViewModelData(known: known))
    }

    /// - Parameter retryAfterMilliseconds: when trying again may help; nil when it won't.
    package static func limitExceeded(
        _ limit: String, _ message: String, retryAfterMilliseconds: Int?
    ) -> RPCError {
        let retry = retryAfterMilliseconds.map { PositiveCount($0) }
        return RPCError(.limitExceeded, message, with: LimitExceededData(limit: limit, retryAfterMs: retry))
    }

    /// - Parameter reason: for people.
    package static func storeUnavailable(_ reason: String) -> RPCError {
        RPCError(
            .storeUnavailable, "the store can't be used: \(reason)", with: StoreUnavailableData(retryAfterMs: 1_000))
    }

    /// - Parameter what: what the client has asked for, as in "it can't send events".
    package static func forbidden(_ what: String) -> RPCError {
        RPCError(.forbidden, "this view was attached with a key that only lets it look: \(what)")
    }

    /// The limit that a `LimitExceeded` names; nil for any other error.
    package var exceededLimit: String? {
        guard let text = try? data?.withUnsafeBytes({ try JSONText(validating: $0) }) else { return nil }
        return text.withValue { $0.member("limit")?.string() }
    }

    /// The answer to a view event whose place a newer one of its kind took.
    package static let superseded = RPCError(
        .requestCancelled, "a newer event of its kind took its place", with: SupersededData())

    /// The answer to a `navigation/back` that a view model refused.
    package static func refused(_ reason: String) -> RPCError {
        RPCError(.invalidRequest, "the view model stays: \(reason)", with: RefusalData(refused: reason))
    }
}

extension Dialect {
    /// This protocol's rules for whole messages.
    package static let viewModels = Dialect(cancellationMethod: CancelRequest.name) { limit, message in
        .limitExceeded(limit, message, retryAfterMilliseconds: nil)
    }
}
