import JSONRPC

/// Names a call among those of all connections.
struct CallID: Hashable {
    /// Nil for what answers no call that could be read.
    let id: RequestID?
    let connection: Int
}
