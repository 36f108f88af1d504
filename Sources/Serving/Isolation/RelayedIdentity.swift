import JSON
import ViewModelProtocol

/// Who the client of a relay is, and what each process of it is told first.
struct RelayedIdentity {
    /// A longer message that sets the trace isn't kept for other processes: it has what nobody asked for.
    private static let traceBytes = 1 << 10

    /// The process is this one's: `principal alice`, or the client's name in quotes.
    let name: String
    let principal: String?
    /// The params of `initialize`, without a token; nil until that is forwarded.
    var params: JSONText?
    /// The last message by which the client set its trace.
    private var trace: [UInt8]?

    init(principal: String?, clientName: String?) {
        let quoted = clientName.map { "\"\(VisibleText($0, maximumBytes: 64))\"" }
        name = principal.map { "principal \($0)" } ?? quoted ?? "clients without a name"
        self.principal = principal
    }

    mutating func keep(trace message: UnsafeRawBufferPointer) {
        if message.count <= Self.traceBytes { trace = Array(message) }
    }

    /// Initializes another process of the client: as far as that one knows, it is the first. It will answer once.
    ///
    /// - Returns: whether it is another one.
    func introduce(to process: ProcessChannel) -> Bool {
        guard let params else { return false }
        ScratchWriter.with { writer in
            writer.literal(#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":"#)
            writer.raw(params.bytes)
            writer.literal("}")
            writer.withUnsafeBytes { process.send($0) }
        }
        trace?.withUnsafeBytes { process.send($0) }
        return true
    }
}
