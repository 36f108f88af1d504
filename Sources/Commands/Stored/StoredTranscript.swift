import JSON
import JSONRPC
import Sessions
import Transcripts
import ViewModelProtocol
import ViewModels

/// A stored session as a transcript: the conversation of a client that attaches to the session and gets its log.
struct StoredTranscript {
    private let session: StoredSession
    private let scene: StoredScene
    private let server: String

    init(_ session: StoredSession, in scene: StoredScene, server: String) {
        self.session = session
        self.scene = scene
        self.server = server
    }

    /// The text of the transcript's file.
    var text: String {
        let title = "A stored session of \(session.header.viewModel), with its log"
        var bytes = TranscriptEncoder.encode(TranscriptHeader(title: title, server: server))
        for (side, message) in messages {
            bytes += TranscriptEncoder.encode(TranscriptEntry(from: side, content: .message(message)))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private var messages: [(TranscriptSide, JSONText)] {
        // Lost events can't be asked for, so the client asks for those that follow them.
        var last = session.turn.lost
        var messages =
            [
                (.client, request(1, "\(Initialize.name)") { _ in }), (.server, initialized),
                (.client, attach(since: last)), (.server, attached),
            ] as [(TranscriptSide, JSONText)]
        for entry in session.turn.entries {
            messages.append((.server, notification(entry, after: last)))
            last = entry.number
        }
        // No shutdown, which would end the session for good. The answer to a ping shows that nothing else follows.
        return messages + [(.client, request(3, "\(Ping.name)") { _ in }), (.server, answer(3) { $0.null() })]
    }

    private func attach(since number: Int) -> JSONText {
        request(2, "\(SessionAttach.name)") { writer in
            writer.key("key")
            writer.string(session.header.key)
            writer.key("since")
            writer.integer(number)
        }
    }

    private var initialized: JSONText {
        answer(1) { writer in
            writer.beginObject()
            writer.key("$match")
            writer.string("object")
            writer.endObject()
        }
    }

    private var attached: JSONText {
        answer(2) { writer in
            writer.beginObject()
            writer.key("session")
            writer.integer(1)
            writer.key("viewModel")
            writer.string(session.header.viewModel)
            writer.key("seq")
            writer.integer(session.turn.newest)
            writeNavigation(to: &writer)
            writer.endObject()
        }
    }

    private func writeNavigation(to writer: inout JSONWriter) {
        let (stack, presented) = navigationBeforeLog
        guard !stack.isEmpty || presented != nil else { return }
        writer.key("navigation")
        writer.beginObject()
        writer.key("stack")
        writer.beginArray()
        for child in stack { write(child, to: &writer) }
        writer.endArray()
        writer.key("presented")
        if let presented { write(presented, to: &writer) } else { writer.null() }
        writer.endObject()
    }

    /// The screens on and over the session before the first event in the log: those of now, with each change in the log undone.
    private var navigationBeforeLog: (stack: [NavigationChild], presented: NavigationChild?) {
        var tree = NavigationTree(root: scene.header.key)
        for child in scene.sessions.dropFirst() {
            _ = child.header.shownBy == .present ? tree.present(child.header.key) : tree.push(child.header.key)
        }
        var stack = tree.stack(on: session.header.key).compactMap(child)
        var presented = tree.presented(over: session.header.key).flatMap(child)
        for entry in session.turn.entries.reversed() {
            guard case .navigation(let change) = entry.content else { continue }
            switch change.kind {
            case .push: stack.removeAll { $0.key == change.child.key }
            case .pop: stack.append(change.child)
            case .present: presented = nil
            case .dismiss: presented = change.child
            }
        }
        return (stack, presented)
    }

    private func child(_ key: String) -> NavigationChild? {
        let header = scene.sessions.first { $0.header.key == key }?.header
        return header.map { NavigationChild(key: $0.key, viewModel: $0.viewModel) }
    }

    private func write(_ child: NavigationChild, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("viewModel")
        writer.string(child.viewModel)
        writer.key("key")
        writer.string(child.key)
        writer.endObject()
    }

    private func notification(_ entry: StoredEntry, after last: Int) -> JSONText {
        request(nil, name(of: entry.content)) { writer in
            writer.key("session")
            writer.integer(1)
            writer.key("seq")
            writer.integer(entry.number)
            switch entry.content {
            case .event(let payload):
                writer.key("event")
                writer.raw(payload)
            case .navigation(let change):
                if change.kind == .push || change.kind == .present {
                    writer.key("viewModel")
                    writer.string(change.child.viewModel)
                }
                writer.key("key")
                writer.string(change.child.key)
            }
            guard entry.number > last + 1 else { return }
            writer.key("after")
            writer.integer(last)
        }
    }

    private func name(of content: SessionLog.Content) -> String {
        guard case .navigation(let change) = content else { return "\(ViewModelEvent.name)" }
        return switch change.kind {
        case .push: "\(NavigationPush.name)"
        case .present: "\(NavigationPresent.name)"
        case .pop: "\(NavigationPop.name)"
        case .dismiss: "\(NavigationDismiss.name)"
        }
    }

    /// Returns a client's message.
    ///
    /// - Parameter id: the request's id; nil for a notification.
    private func request(_ id: Int?, _ method: String, _ params: (inout JSONWriter) -> Void) -> JSONText {
        message { writer in
            if let id {
                writer.key("id")
                writer.integer(id)
            }
            writer.key("method")
            writer.string(method)
            writer.key("params")
            writer.beginObject()
            params(&writer)
            writer.endObject()
        }
    }

    private func answer(_ id: Int, _ result: (inout JSONWriter) -> Void) -> JSONText {
        message { writer in
            writer.key("id")
            writer.integer(id)
            writer.key("result")
            result(&writer)
        }
    }

    private func message(_ members: (inout JSONWriter) -> Void) -> JSONText {
        JSONText { writer in
            writer.beginObject()
            writer.key("jsonrpc")
            writer.string("2.0")
            members(&writer)
            writer.endObject()
        }
    }
}
