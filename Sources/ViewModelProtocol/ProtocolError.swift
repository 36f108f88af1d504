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
            "The request was cancelled by $/cancelRequest, or because the server ends."),
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
            .viewModelFailed, "ViewModelFailed", "The view model failed to handle the event. The session goes on."),
        .init(.limitExceeded, "LimitExceeded", "A limit was exceeded.", data: LimitExceededData.self),
    ]

    /// Every request may be answered with these.
    package static let ofEveryRequest: [ErrorCode] = [.invalidRequest, .invalidParams, .internalError, .limitExceeded]
    /// A response without an id has one of these, since the message couldn't be read.
    package static let withoutID: [ErrorCode] = [.parseError, .invalidRequest, .limitExceeded]
}

/// The `data` of an InvalidRequest to `navigation/back` that a view model refused.
package struct RefusalData: Codable, Sendable {
    /// Why the view model stays.
    package var refused: String
}

/// The `data` of an InvalidParams.
package struct InvalidParamsData: ConstrainedObject {
    /// A JSON Pointer into params.
    package var path: PointerText
    /// What is wrong there.
    package var reason: String
    /// The versions of the protocol that the server speaks, after initialize with another one.
    package var supported: [String]?

    package static let constraints = #"{"allOf":[{"properties":{"supported":{"minItems":1}}}]}"#
}

/// The `data` of an UnknownViewModel.
package struct UnknownViewModelData: Codable, Sendable {
    /// The names that the method takes.
    package var known: [String]
}

/// The `data` of a ReplayUnavailable.
package struct ReplayUnavailableData: Codable, Sendable {
    /// The number of the oldest event that is kept.
    package var oldest: SequenceNumber
}

/// The `data` of a LimitExceeded.
package struct LimitExceededData: Codable, Sendable {
    /// The limit's name: messageBytes, headerBytes, batchMessages, sessions, hostedSessions, clients, pendingEvents or
    /// pendingBytes.
    package var limit: String
    /// Milliseconds after which trying again may help. Absent where it won't.
    package var retryAfterMs: PositiveCount?
}
