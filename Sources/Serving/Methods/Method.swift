import JSON
import JSONRPC

/// One method that clients may call: its name, when it is allowed, and what it does.
struct Method: Sendable {
    /// How it may be sent.
    enum Kind: Sendable {
        case request
        case notification
        case either
    }

    /// When it may be sent.
    enum Allowance: Sendable {
        /// As the first message, once.
        case first
        /// After `initialize` and before `shutdown`.
        case initialized
        /// At any time.
        case always
    }

    /// Writes a result.
    typealias Result = @Sendable (inout JSONWriter) -> Void

    let name: StaticString
    let kind: Kind
    let allowance: Allowance
    /// Returns the result, or nil when the call will be answered later or is no request; an error is the answer.
    let run: @Sendable (Connection, Params, Call?) throws(RPCError) -> Result?

    init(
        _ name: StaticString,
        _ kind: Kind,
        _ allowance: Allowance = .initialized,
        run: @escaping @Sendable (Connection, Params, Call?) throws(RPCError) -> Result?
    ) {
        self.name = name
        self.kind = kind
        self.allowance = allowance
        self.run = run
    }

    /// The result of what has none.
    static let null: Result = { $0.null() }
}
