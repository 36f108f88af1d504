import JSON
import JSONRPC
import Sessions
import ViewModelProtocol

/// The error of a shared session, in its own words.
struct RemoteFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    static let unattached = RemoteFailure("its session can't be reached now")
}

extension RPCError {
    private var isOfNumber: Bool {
        (data ?? []).withUnsafeBytes { bytes in
            (try? JSONValue(validating: bytes))?.member("path")?.string() == "/number"
        }
    }

    /// Whether the event may be taken later: nothing was done, and its number isn't taken.
    var isForNow: Bool {
        code == .limitExceeded || code == .storeUnavailable || code == .invalidParams && isOfNumber
    }

    var asFailure: any Error {
        code == .storeUnavailable ? SessionError.storeUnavailable(message) : RemoteFailure(message)
    }
}

extension SharedSender {
    /// The member of `view/event` by which a session says for whom it sends. Only sessions may.
    static let member = "from"

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if let name {
            writer.key("name")
            writer.string(name)
        }
        if let principal {
            writer.key("principal")
            writer.string(principal)
        }
        writer.endObject()
    }

    /// - Parameter value: an object as `write(to:)` writes it.
    init?(_ value: JSONValue) {
        guard value.kind == .object else { return nil }
        self.init(name: value.member("name")?.string(), principal: value.member("principal")?.string())
    }
}
