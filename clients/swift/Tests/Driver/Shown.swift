import JSON
import Synchronization
import ViewModelClient

/// One view, as a user sees it.
final class Shown: Sendable {
    fileprivate struct State {
        var view: ClientView?
        var events: [JSONText] = []
        /// By their numbers here: those that aren't answered.
        var waiting: [(number: Int, event: JSONText, wasSent: Bool)] = []
        var sent = 0
        var dropped: [(event: JSONText, wasSent: Bool)] = []
        var errors: [String] = []
        var stack: [String] = []
        var presented: String?
        var reason: String?
        var lists: [String: (list: RemoteList<JSONText>, range: Range<Int>)] = [:]
    }

    private let state = Mutex(State())
    private let showChild: @Sendable (String) -> Void

    init(showChild: @escaping @Sendable (String) -> Void) {
        self.showChild = showChild
    }

    var hasEnded: Bool { state.withLock { $0.reason != nil } }

    func begin(_ view: ClientView) { state.withLock { $0.view = view } }

    func end(_ reason: String) { state.withLock { $0.reason = reason } }

    func take(_ news: ViewNews) {
        let children = state.withLock { state in
            switch news {
            case .event(let event, _): state.events.append(event)
            case .snapshot(let events, _, let shown):
                state.events = events
                state.take(shown)
            case .navigation(let change, _): state.take(change)
            case .viewers: break
            case .ended(let error): state.reason = "\(error)"
            }
            return state.stack + [state.presented].compactMap(\.self)
        }
        for child in children { showChild(child) }
    }

    func send(_ event: JSONText) {
        let (view, number) = state.withLock { state in
            state.sent += 1
            state.waiting.append((state.sent, event, false))
            return (state.view, state.sent)
        }
        view?.send(event) { [self] stage in
            state.withLock { state in
                guard let place = state.waiting.firstIndex(where: { $0.number == number }) else { return }
                if case .sent = stage { state.waiting[place].wasSent = true }
                if case .waits = stage { state.waiting[place].wasSent = false }
            }
        } reply: { [self] result in
            state.withLock { state in
                guard let place = state.waiting.firstIndex(where: { $0.number == number }) else { return }
                let (_, event, wasSent) = state.waiting.remove(at: place)
                guard case .failure(let error) = result else { return }
                if case RemoteError.refused(let refusal)? = error as? RemoteError {
                    state.errors.append(refusal.message)
                } else {
                    state.dropped.append((event, wasSent))
                }
            }
        }
    }

    /// Goes back, or leaves the view in another way, after which nothing comes any more.
    func leave(isLast: Bool = true, _ leave: @escaping @Sendable (ClientView) async throws -> Void) {
        guard let view = state.withLock({ $0.view }) else { return }
        Task {
            do {
                try await leave(view)
                if isLast { end("it was left") }
            } catch {
                state.withLock { $0.errors.append(Self.words(of: error)) }
            }
        }
    }

    /// What a view model says to who wants to leave it is in the error's data.
    private static func words(of error: any Error) -> String {
        guard case RemoteError.refused(let refusal)? = error as? RemoteError else { return "\(error)" }
        return [refusal.message, refusal.data].compactMap(\.self).joined(separator: ": ")
    }

    func show(_ command: JSONText) throws {
        guard let name = command.string("list"), let view = state.withLock({ $0.view }) else { return }
        let (first, count) = command.withValue {
            ($0.member("first")?.integer(as: Int.self) ?? 0, $0.member("count")?.integer(as: Int.self) ?? 0)
        }
        let list = state.withLock { $0.lists[name]?.list } ?? view.list(name, of: JSONText.self)
        state.withLock { $0.lists[name] = (list, first..<first + count) }
        list.show(first..<first + count)
    }
}

extension Shown.State {
    fileprivate mutating func take(_ change: RemoteNavigation) {
        switch change {
        case .push(let child): stack.append(child.key)
        case .present(let child): presented = child.key
        case .pop(let key): stack.removeAll { $0 == key }
        case .dismiss(let key): if presented == key { presented = nil }
        case .shown(let stack, let presented):
            (self.stack, self.presented) = (stack.map(\.key), presented?.key)
        }
    }
}

extension Shown {
    /// Writes what is to be seen, for `look`.
    func write(into writer: inout JSONWriter, isCurrent: Bool, stall: String?) {
        let state = state.withLock { $0 }
        writer.beginObject()
        writer.key("state")
        writer.string(
            state.reason != nil ? "ended" : state.view == nil ? "opening" : isCurrent ? "shown" : "old")
        if let reason = state.reason {
            writer.key("reason")
            writer.string(reason)
        }
        if let view = state.view {
            writer.key("key")
            writer.string(view.key)
        }
        if let stall, !state.waiting.isEmpty {
            writer.key("stall")
            writer.string(stall)
        }
        writer.array("events", state.events) { $0.raw($1.bytes) }
        writer.array("waiting", state.waiting) { $0.raw($1.event.bytes) }
        writer.array("dropped", state.dropped) { writer, one in
            writer.beginObject()
            writer.key("event")
            writer.raw(one.event.bytes)
            writer.key("wasSent")
            writer.boolean(one.wasSent)
            writer.endObject()
        }
        writer.array("errors", state.errors) { $0.string($1) }
        writer.array("over", state.stack + [state.presented].compactMap(\.self)) { $0.string($1) }
        writer.key("lists")
        writer.beginObject()
        for (name, (list, range)) in state.lists { write(list.rows, name, range, into: &writer) }
        writer.endObject()
        writer.endObject()
    }

    private func write(
        _ rows: RemoteRows<JSONText>, _ name: String, _ range: Range<Int>, into writer: inout JSONWriter
    ) {
        writer.key(name)
        writer.beginObject()
        writer.key("count")
        writer.integer(rows.count)
        writer.key("first")
        writer.integer(range.lowerBound)
        writer.array("rows", range.clamped(to: 0..<rows.count)) { writer, index in
            if let row = rows[index] { writer.raw(row.bytes) } else { writer.null() }
        }
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func array<Elements: Sequence>(
        _ name: String, _ elements: Elements, write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        key(name)
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }
}
