import JSON
import JSONRPC

/// The kinds of events in one transcript, collected by view: the answer that names a view's view model may come after the
/// view's events.
struct SeenKinds {
    struct View: Hashable {
        let connection: Int
        let session: Int
    }

    private struct Request: Hashable {
        let connection: Int
        let id: JSONText
    }

    private(set) var viewModels: [View: String] = [:]
    /// View events that were answered with anything but `InvalidParams`, the error for an unknown event.
    private(set) var taken: [View: Set<String>] = [:]
    /// The kinds of view model events, including those in snapshots.
    private(set) var sent: [View: Set<String>] = [:]
    /// The kinds of view events that were sent as notifications.
    private(set) var unanswered: [View: Set<String>] = [:]
    private var inFlight: [Request: (view: View, kind: String)] = [:]

    mutating func noteClient(_ message: JSONValue, on connection: Int) {
        guard let (view, kind) = event(in: message, on: connection) else { return }
        if let id = message.recorded("id") {
            inFlight[Request(connection: connection, id: JSONText(id))] = (view, kind)
        } else {
            unanswered[view, default: []].insert(kind)
        }
    }

    mutating func noteServer(_ message: JSONValue, on connection: Int) {
        if let (view, kind) = event(in: message, on: connection) { sent[view, default: []].insert(kind) }
        if message.member("method") == nil, let id = message.recorded("id") {
            noteAnswer(message, to: Request(connection: connection, id: JSONText(id)))
        }
    }

    private mutating func noteAnswer(_ answer: JSONValue, to request: Request) {
        if let (view, kind) = inFlight.removeValue(forKey: request) {
            let code = answer.member("error")?.recorded("code")?.integer(as: Int.self)
            if code != ErrorCode.invalidParams.rawValue { taken[view, default: []].insert(kind) }
        }
        guard let result = answer.recorded("result"), let name = result.recorded("viewModel")?.string(),
            let session = result.recorded("session")?.integer(as: Int.self)
        else { return }
        let view = View(connection: request.connection, session: session)
        viewModels[view] = name
        result.recorded("snapshot")?.forEachElement { event in
            if let kind = event.recorded("kind")?.string() { sent[view, default: []].insert(kind) }
        }
    }

    private func event(in message: JSONValue, on connection: Int) -> (View, kind: String)? {
        guard var params = message.recorded("params") else { return nil }
        // Params by position: an array of one object counts as that object.
        if params.kind == .array { params.forEachElement { params = $0 } }
        guard let kind = params.recorded("event")?.recorded("kind")?.string(),
            let session = params.recorded("session")?.integer(as: Int.self)
        else { return nil }
        return (View(connection: connection, session: session), kind)
    }
}

extension JSONValue {
    /// Returns the value of a member. If that is a matcher, returns the matcher's sample.
    func recorded(_ name: StaticString) -> JSONValue? {
        guard let member = member(name) else { return nil }
        return member.member("$match") == nil ? member : member.member("value")
    }
}
