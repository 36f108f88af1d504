import JSON
import JSONRPC
import Sessions
import ViewModelProtocol
import ViewModels

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

/// The notification by which a session tells a shared one who looks at it. Only sessions may send it. A server that doesn't
/// know it ignores it, as it ignores every unknown notification.
enum SharedViewers {
    static let method: StaticString = "$/viewers"

    static func write(_ viewers: [Client], of view: Int, to params: inout JSONWriter) {
        params.key("session")
        params.integer(view)
        params.key("viewers")
        params.beginArray()
        for viewer in viewers {
            params.beginObject()
            for (name, value) in [("name", viewer.name), ("principal", viewer.principal), ("program", viewer.program)] {
                guard let value else { continue }
                params.key(name)
                params.string(value)
            }
            params.endObject()
        }
        params.endArray()
    }

    /// Reads params as `write(_:of:to:)` writes them.
    static func read(_ params: JSONValue) -> (view: Int, viewers: [Client])? {
        guard let view = params.member("session")?.integer(as: Int.self), let list = params.member("viewers") else {
            return nil
        }
        var viewers: [Client] = []
        list.forEachElement { viewer in
            viewers.append(
                Client(
                    name: viewer.member("name")?.string(), principal: viewer.member("principal")?.string(),
                    program: viewer.member("program")?.string()))
        }
        return (view, viewers)
    }
}
