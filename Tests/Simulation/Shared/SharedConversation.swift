import JSON
import Sessions

/// A connection of a client, as whoever sees its messages leave the server knows it.
///
/// Confined to the loop.
final class SharedConversation {
    enum Asked {
        case initialize
        case open(common: String?)
        case attach(key: String, since: Int, epoch: String?)
        case event(number: Int, TallyDeed, view: Int)
        /// The view is detached, or its session closed.
        case leave(view: Int)
        case other
    }

    private struct View {
        let history: SharedLedger.History
        var seq: Int
        /// It has ended: what was sent for it is answered without what came of it.
        var isLeft = false

        var key: String { history.key }
    }

    private let client: String
    private let world: SharedWorld
    /// By the ids of the requests.
    private var asked: [Int: Asked] = [:]
    private var views: [Int: View] = [:]
    private var bytes: [UInt8] = []

    init(_ client: String, _ world: SharedWorld) {
        (self.client, self.world) = (client, world)
    }

    func ask(_ id: Int, _ request: Asked) {
        asked[id] = request
        if case .leave(let view) = request { views[view]?.isLeft = true }
    }

    /// Bytes leave the server.
    func tap(_ more: [UInt8]) {
        bytes += more
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(bytes[..<end])
            bytes.removeFirst(end + 1)
            world.mix(line)
            line.withUnsafeBytes { line in
                guard let message = try? JSONValue(validating: line) else {
                    return violate("what leaves the server isn't JSON")
                }
                look(at: message)
            }
        }
    }

    private func violate(_ what: String) {
        world.truth.violate("to \(client): \(what)")
    }

    private func look(at message: JSONValue) {
        if let method = message.member("method")?.string() {
            guard let params = message.member("params") else { return }
            return lookAtNotification(method, params)
        }
        guard let id = message.member("id")?.integer(as: Int.self), let request = asked.removeValue(forKey: id) else {
            return violate("an answer to no request")
        }
        guard let result = message.member("result") else { return }
        switch request {
        case .initialize, .leave, .other: break
        case .open(let common):
            guard let key = result.member("key")?.string() else { return violate("an opening has no key") }
            if let common { world.didFindCommon(key, by: common) }
            begin(result, key, since: 0, epoch: nil)
            if !world.hasLost, !world.mayBeGone(key), world.store.session(key) == nil {
                violate("D1: \(key) is opened, and not stored")
            }
        case .attach(let key, let since, let epoch):
            begin(result, key, since: since, epoch: epoch)
            let newest = result.member("seq")?.integer(as: Int.self) ?? -1
            if !world.hasLost, newest > world.newest(key), !world.mayBeGone(key) {
                violate("D1: \(key) is attached at \(newest), and stored up to \(world.newest(key))")
            }
        case .event(let number, let deed, let view):
            if let view = views[view] { didAnswer(result, view.key, number, deed, view) }
        }
    }

    private func begin(_ result: JSONValue, _ key: String, since: Int, epoch: String?) {
        guard let view = result.member("session")?.integer(as: Int.self) else { return violate("a view has no number") }
        if views[view] != nil { violate("a view's number is used again") }
        let history = SharedLedger.History(key: key, epoch: result.member("epoch")?.string() ?? "")
        let isSnapshot = result.member("snapshot") != nil
        let seq = isSnapshot ? result.member("seq")?.integer(as: Int.self) ?? since : since
        views[view] = View(history: history, seq: seq)
        if !isSnapshot, let epoch { checkThatItGoesOn(history, since: since, epoch: epoch) }
    }

    /// What the client has of another epoch is a part of this one.
    private func checkThatItGoesOn(_ history: SharedLedger.History, since: Int, epoch: String) {
        guard since > 0, epoch != history.epoch, let session = world.store.session(history.key),
            session.epochs.current == history.epoch
        else { return }
        let told = world.ledger.events[SharedLedger.History(key: history.key, epoch: epoch)] ?? [:]
        let wrong = told.filter { number, bytes in
            number <= since && world.store.told(history.key, number) != bytes
        }.keys.sorted()
        if wrong.isEmpty { return }
        violate("D1: \(history.key) goes on from \(since) of \(epoch) in \(history.epoch), which has other \(wrong)")
    }

    private func didAnswer(_ result: JSONValue, _ key: String, _ number: Int, _ deed: TallyDeed, _ view: View) {
        if world.hasLost || world.mayBeGone(key) { return }
        if deed == .refuse { violate("D2: \(key)'s event \(number) has failed, and is answered as done") }
        let stored = world.store.number(key, of: client)
        if stored < number { violate("D1: \(key)'s event \(number) is answered, and \(stored) stored") }
        let newest = result.member("seq")?.integer(as: Int.self) ?? -1
        if newest > world.newest(key) { violate("D1: \(key) says it is at \(newest), and less is stored") }
        if view.seq < newest, !view.isLeft {
            violate("\(key)'s event \(number) is answered before what its handler sent: \(view.seq) of \(newest)")
        }
        if deed.isSent { return didAnswerSent(key, number, deed) }
        guard deed == .share, let scene = world.store.scene(key), let session = world.store.session(key),
            let name = session.name, session.header.viewModel != "window"
        else { return }
        let mark = scene.marks[TallyNames.mark(name, client)] ?? 0
        if mark < number { violate("D1: \(key)'s event \(number) is answered, and the stored board has \(mark)") }
    }

    /// What a window has sent to halls for a client's event is handled before that is answered.
    private func didAnswerSent(_ key: String, _ number: Int, _ deed: TallyDeed) {
        guard let session = world.store.session(key), session.header.viewModel == "window" else { return }
        let event = "\(key)'s event \(number)"
        if deed == .sendRefused { violate("D8: \(event) has failed at a hall, and is answered as done") }
        let waiting = SharedHalls.outbox(of: session).count { $0.client == client && $0.place == number }
        if waiting > 0 { violate("D8: \(event) is answered, and \(waiting) wait for a hall") }
    }

    private func lookAtNotification(_ method: String, _ params: JSONValue) {
        guard let view = params.member("session")?.integer(as: Int.self) else { return }
        guard let history = views[view]?.history else { return violate("\(method) for a view that isn't there") }
        let key = history.key
        guard let number = params.member("seq")?.integer(as: Int.self) else {
            if method != "session/closed" { violate("\(method) for \(key)") }
            views[view]?.isLeft = true
            return
        }
        let last = views[view]?.seq ?? 0
        if number != last + 1 { violate("D4: \(key) tells \(number) after \(last)") }
        views[view]?.seq = number
        world.count { $0.events += 1 }
        guard let event = params.member("event") else {
            let child = params.member("key")?.string() ?? ""
            if method == "navigation/push" || method == "navigation/present" { world.didShow(child, on: key) }
            return tell(Array("\(method) \(child)".utf8), history, number)
        }
        tell(Array(event.text), history, number)
    }

    private func tell(_ bytes: [UInt8], _ history: SharedLedger.History, _ number: Int) {
        if let wrong = world.ledger.tell(history, number, bytes) { return violate(wrong) }
        // What was told before commits were lost may still be on its way.
        if world.hasLost { return }
        if let wrong = world.ledger.note(bytes, history, number) { violate(wrong) }
        let stored = world.store.told(history.key, number)
        if stored != bytes, !world.mayBeGone(history.key) {
            let (told, found) = (
                String(decoding: bytes, as: UTF8.self), stored.map { String(decoding: $0, as: UTF8.self) }
            )
            violate("D1: \(history.key) tells \(number), \(told), and \(found ?? "nothing") is stored")
        }
    }
}
