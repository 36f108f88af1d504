import JSON
import TestSupport
import Transport

/// A session as a client holds it, over all of its connections.
final class HeldTally {
    var key: String?
    /// Sent again until it is answered.
    let opening: String?
    /// The view's number on this connection.
    var view: Int?
    var isArriving = false
    /// The newest number that came.
    var seq = 0
    /// Events whose answers haven't come, by their numbers.
    var pending: [(number: Int, text: String)] = []
    var lastNumber = 0
    /// The highest that was answered.
    var answered = 0

    init(key: String?, opening: String?) {
        (self.key, self.opening) = (key, opening)
    }
}

/// A client that comes back after each cut, to any of the servers, and sends again what wasn't answered.
///
/// Confined to the loop.
final class SharedClient {
    private enum Asked {
        case initialize
        case view(HeldTally)
        case event(HeldTally, Int)
    }

    let name: String
    private let world: SharedWorld
    private var generator: SeededGenerator
    private(set) var held: [HeldTally] = []
    /// Keys of sessions that it has decided about.
    private var decided: Set<String> = []
    private var wire: SharedWire?
    private var conversation: SharedConversation?
    private var bytes: [UInt8] = []
    private var isInitialized = false
    private var asked: [Int: (request: Asked, time: Duration)] = [:]
    private var lastID = 0
    private var restUntil = Duration.zero
    /// So long it waits for an answer.
    private var patience = Duration.seconds(1)

    init(_ index: Int, _ world: SharedWorld, seed: Int) {
        name = "client-\(index)"
        self.world = world
        generator = SeededGenerator(seed: seed)
    }

    /// Opens a session as soon as it is connected.
    func open(_ session: String) {
        let once = session + String(repeating: "o", count: 24)
        held.append(
            HeldTally(
                key: nil,
                opening: """
                    {"viewModel":"tally","arguments":{"name":"\(session)"},"client":"\(name)","once":"\(once)"}
                    """))
    }

    func begin() {
        world.after(.milliseconds(Int.random(in: 5...120, using: &generator))) { [self] in
            guard !world.isOver else { return }
            act()
            begin()
        }
    }

    /// It has everything, and is owed nothing.
    var isAtRest: Bool {
        isInitialized && asked.isEmpty
            && held.allSatisfy { held in
                guard let key = held.key, held.view != nil, held.pending.isEmpty else { return false }
                return held.seq == world.newest(key)
            }
    }

    var unrest: String {
        let views = held.map { held in
            let newest = held.key.map { world.newest($0) } ?? -1
            return "\(held.key ?? "an opening") \(held.view ?? 0) \(held.seq)/\(newest) \(held.pending.map(\.number))"
        }
        return "\(name) \(isInitialized ? "" : "isn't connected, ")waits for \(asked.count), \(views)"
    }

    private func act() {
        guard wire != nil else {
            if world.now >= restUntil { connect() }
            return
        }
        let most = world.isFaulty ? patience : .seconds(30)
        if asked.values.contains(where: { world.now - $0.time > most }) { return cut("out of patience") }
        guard isInitialized else { return }
        adopt()
        for held in held { arrive(held) }
        guard world.isFaulty else { return }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<2: cut("of its own")
        case 2:
            cut("and stays away")
            restUntil = world.now + .milliseconds(Int.random(in: 500...9_000, using: &generator))
        case 3..<40: for _ in 0..<Int.random(in: 1...3, using: &generator) { sendSomething() }
        default: break
        }
    }

    /// Takes part in what others have opened.
    private func adopt() {
        for key in world.known where decided.insert(key).inserted && !held.contains(where: { $0.key == key }) {
            if generator.chance(75) { held.append(HeldTally(key: key, opening: nil)) }
        }
    }

    private func sendSomething() {
        guard let held = held.filter({ $0.view != nil }).randomElement(using: &generator) else { return }
        held.lastNumber += 1
        let deed: TallyDeed =
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<60: .say
            case 60..<80: .hush
            case 80..<95: .nap
            default: .push
            }
        let wait = Int.random(in: 1...600, using: &generator)
        let text =
            #"{"kind":"add","by":"\#(name)","number":\#(held.lastNumber),"deed":"\#(deed)","wait":\#(wait)}"#
        held.pending.append((held.lastNumber, text))
        send(held, held.lastNumber, text)
    }

    private func send(_ held: HeldTally, _ number: Int, _ text: String) {
        guard let view = held.view, let key = held.key else { return }
        ask(
            .event(held, number), .event(key: key, number: number), "view/event",
            #"{"session":\#(view),"event":\#(text),"number":\#(number)}"#)
    }
}

/// Its connections.
extension SharedClient {
    private func connect() {
        guard let place = world.places.randomElement(using: &generator) else { return }
        guard place.core != nil, !place.isDraining else {
            restUntil = world.now + .milliseconds(Int.random(in: 20...300, using: &generator))
            return
        }
        let conversation = SharedConversation(name, world)
        let wire = SharedWire(world, from: nil, to: place, mayBreak: world.isFaulty) { conversation.tap($0) }
        (self.wire, self.conversation) = (wire, conversation)
        patience = .milliseconds(Int.random(in: 1_000...9_000, using: &generator))
        world.count { $0.connections += 1 }
        world.note("\(name) connects to \(place.address)")
        wire.near.handler = SharedClientStream(self, wire)
        wire.near.start()
        place.serve(wire)
        ask(.initialize, .initialize, "initialize", "{}")
    }

    private func ask(_ request: Asked, _ told: SharedConversation.Asked, _ method: String, _ params: String) {
        guard let wire else { return }
        lastID += 1
        asked[lastID] = (request, world.now)
        conversation?.ask(lastID, told)
        let message = #"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)","params":\#(params)}"#
        world.note("\(name) > \(message)")
        wire.near.write { $0.append(contentsOf: Array((message + "\n").utf8)) }
    }

    private func arrive(_ held: HeldTally) {
        guard held.view == nil, !held.isArriving else { return }
        if let key = held.key {
            held.isArriving = true
            ask(
                .view(held), .attach(key: key, since: held.seq), "session/attach",
                #"{"key":"\#(key)","since":\#(held.seq),"client":"\#(name)"}"#)
        } else if let opening = held.opening {
            held.isArriving = true
            ask(.view(held), .open, "session/open", opening)
        }
    }

    func cut(_ reason: String) {
        guard let wire else { return }
        world.note("\(name) cuts its connection, \(reason)")
        world.count { $0.cuts += 1 }
        didEnd(wire)
        wire.near.close()
        wire.cut()
    }

    fileprivate func didEnd(_ wire: SharedWire) {
        guard wire === self.wire else { return }
        world.note("\(name) has lost its connection")
        (self.wire, conversation, bytes, isInitialized, asked) = (nil, nil, [], false, [:])
        for held in held { (held.view, held.isArriving) = (nil, false) }
        restUntil = world.now + .milliseconds(Int.random(in: 0...300, using: &generator))
    }

    fileprivate func didRead(_ more: UnsafeRawBufferPointer, _ wire: SharedWire) {
        guard wire === self.wire else { return }
        bytes += Array(more)
        while wire === self.wire, let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(bytes[..<end])
            bytes.removeFirst(end + 1)
            world.note("\(name) < \(String(decoding: line, as: UTF8.self))")
            line.withUnsafeBytes { line in
                if let message = try? JSONValue(validating: line) { take(message) }
            }
        }
    }
}

/// What it is told, which `SharedConversation` has looked at.
extension SharedClient {
    private func take(_ message: JSONValue) {
        if let method = message.member("method")?.string() {
            guard let params = message.member("params"), let view = params.member("session")?.integer(as: Int.self),
                let held = held.first(where: { $0.view == view })
            else { return }
            if params.member("reason")?.isString("replaced") == true { return cut("as its view was replaced") }
            held.seq = params.member("seq")?.integer(as: Int.self) ?? held.seq
            if method == "navigation/push", let key = params.member("key")?.string() { world.learn(key) }
            return
        }
        guard let id = message.member("id")?.integer(as: Int.self), let (request, _) = asked.removeValue(forKey: id)
        else { return }
        guard let result = message.member("result") else { return takeError(message, request) }
        switch request {
        case .initialize: isInitialized = true
        case .view(let held): didAttach(held, result)
        case .event(let held, let number):
            world.count { $0.answers += 1 }
            held.pending.removeAll { $0.number == number }
            held.answered = max(held.answered, number)
        }
    }

    private func didAttach(_ held: HeldTally, _ result: JSONValue) {
        held.isArriving = false
        held.view = result.member("session")?.integer(as: Int.self)
        if let key = result.member("key")?.string() {
            held.key = key
            decided.insert(key)
            world.learn(key)
        }
        if let handled = result.member("handled")?.integer(as: Int.self), handled < held.answered {
            world.truth.violate("D2: \(name) was answered \(held.answered), and \(handled) was handled")
        }
        for event in held.pending { send(held, event.number, event.text) }
    }

    /// Such as that the store is away: it comes back later.
    private func takeError(_ message: JSONValue, _ request: Asked) {
        let code = message.member("error")?.member("code")?.integer(as: Int.self) ?? 0
        if ![-32016, -32800].contains(code) {
            let text = message.member("error").map { String(decoding: $0.text, as: UTF8.self) } ?? ""
            world.truth.violate("\(name) is refused \(request): \(text)")
        }
        cut("refused")
    }
}

/// The client's end of a wire.
private final class SharedClientStream: ByteStreamHandler {
    private let client: SharedClient
    private let wire: SharedWire

    init(_ client: SharedClient, _ wire: SharedWire) {
        (self.client, self.wire) = (client, wire)
    }

    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        client.didRead(bytes, wire)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        client.didEnd(wire)
        stream.finish()
    }

    func streamDidSend(_ stream: any ByteStream) {}

    func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool { true }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        client.didEnd(wire)
    }
}
