import JSONRPC

/// Where a connection stands in its life, and what it therefore takes. Pure; the `Connection` acts.
struct ConnectionState {
    enum Phase {
        /// Nothing but `initialize` is answered.
        case connected
        case initialized
        /// `shutdown` was answered: only `exit` is waited for.
        case shutDown
        /// Nothing is taken any more: `exit`, the end of the input, or a message whose end can't be found.
        case ended
    }

    /// What `$/logTrace` tells the client.
    enum Trace: String {
        case off
        case messages
        case verbose

        /// No value is an error; "compact", which some hosts send, counts as "messages".
        init(lenient value: String?) {
            self = value == "compact" ? .messages : value.flatMap { Trace(rawValue: $0) } ?? .off
        }
    }

    enum Verdict {
        case allowed
        case refused(RPCError)
        case dropped(String)
    }

    private(set) var phase = Phase.connected
    var trace = Trace.off

    /// The status that a process which serves this connection alone ends with.
    private(set) var exitStatus: Int32 = 1

    func judgeRequest(_ method: Method) -> Verdict {
        switch (phase, method.allowance) {
        case (.connected, .first): return .allowed
        case (.connected, _): return .refused(Self.notInitialized)
        case (.initialized, _) where method.kind == .notification:
            return .refused(RPCError(.invalidRequest, "\(method.name) is a notification; send it without an id"))
        case (.initialized, .initialized): return .allowed
        case (.initialized, _):
            return .refused(RPCError(.invalidRequest, "this connection is initialized already"))
        case (.shutDown, _), (.ended, _): return .refused(Self.shutDown)
        }
    }

    func judgeNotification(_ method: Method) -> Verdict {
        if method.allowance == .always { return .allowed }
        guard phase == .initialized else { return .dropped("\(method.name) came when only requests or exit may") }
        guard method.kind != .request else {
            return .dropped("\(method.name) was sent without an id, so it did nothing; send it as a request")
        }
        return .allowed
    }

    /// What a request for an unknown method gets.
    func refusalOfUnknown(_ name: String) -> RPCError {
        switch phase {
        case .connected: Self.notInitialized
        case .initialized: RPCError(.methodNotFound, "there is no method \"\(name)\"")
        case .shutDown, .ended: Self.shutDown
        }
    }

    mutating func didInitialize(trace: Trace) {
        phase = .initialized
        self.trace = trace
    }

    mutating func didShutDown() {
        phase = .shutDown
        exitStatus = 0
    }

    mutating func didEnd() {
        phase = .ended
    }

    private static let notInitialized = RPCError(
        .serverNotInitialized, "send initialize first, and wait for its answer")
    private static let shutDown = RPCError(.invalidRequest, "this connection was shut down; only exit may follow")
}
