import JSON
import TestSupport
import Transport

/// A client that comes back after each cut, to any of the servers, and sends again what wasn't answered.
///
/// Confined to the loop.
// Over 400 lines because all of it decides by the same state, that of one client.
final class SharedClient {
    private enum Asked {
        case initialize
        case view(HeldTally)
        case event(HeldTally, Int, view: Int)
        /// An opening that was answered, once more.
        case again
        case back(HeldTally, view: Int)
        case leave(HeldTally, view: Int)
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
    /// It has asked for a view on this connection.
    private var hasArrived = false
    private var asked: [Int: (request: Asked, time: Duration)] = [:]
    private var lastID = 0
    /// Views of this connection whose place another one of this client has taken.
    private var replaced: Set<Int> = []
    private var restUntil = Duration.zero
    /// So long it waits for an answer.
    private var patience = Duration.seconds(1)

    init(_ index: Int, _ world: SharedWorld, seed: Int) {
        name = "client-\(index)"
        self.world = world
        generator = SeededGenerator(seed: seed)
    }

    /// Opens a session as soon as it is connected.
    ///
    /// - Parameter more: members of its arguments, each behind a comma.
    func open(_ session: String, _ viewModel: String = "tally", _ more: String = "") {
        let once = session + String(repeating: "o", count: 24)
        held.append(
            HeldTally(
                key: nil,
                opening: """
                    {"viewModel":"\(viewModel)","arguments":{"name":"\(session)"\(more)},"client":"\(name)","once":"\(once)"}
                    """, viewModel: viewModel))
    }

    /// Opens a session of everyone, at once where it is connected: others do so at the same moment.
    func openCommon(_ session: String, _ viewModel: String = "common") {
        let opening = #"{"viewModel":"\#(viewModel)","arguments":{"name":"\#(session)"},"client":"\#(name)"}"#
        let common = HeldTally(key: nil, opening: opening, common: session, viewModel: viewModel)
        held.append(common)
        if isInitialized { arrive(common) }
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
                if held.isGone { return true }
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
        if let since = asked.values.map(\.time).min() {
            if !world.isFaulty, world.now - max(since, world.healingTime) > .seconds(30) {
                world.truth.violate("\(name) isn't answered within 30 s by servers that all work")
            }
            if world.now - since > (world.isFaulty ? patience : .seconds(30)) { return cut("out of patience") }
        }
        guard isInitialized else { return }
        adopt()
        for held in held.shuffled(using: &generator) { arrive(held) }
        guard world.isFaulty else { return }
        let attached = held.filter { $0.view != nil && !$0.isGone }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<2: cut("of its own")
        case 2: stayAway(atMost: 9_000)
        case 40..<43: goBack(attached)
        case 43..<46: leave(attached)
        case 46..<50: openAgain()
        case 3..<40: for _ in 0..<Int.random(in: 1...3, using: &generator) { sendSomething(attached) }
        default: break
        }
    }

    /// - Parameter most: in milliseconds.
    func stayAway(atMost most: Int) {
        cut("and stays away")
        restUntil = world.now + .milliseconds(Int.random(in: 500...most, using: &generator))
    }

    /// Takes part in what others have opened. It has its own opening of what everyone finds.
    private func adopt() {
        for key in world.known
        where !world.isCommon(key) && decided.insert(key).inserted && !held.contains(where: { $0.key == key }) {
            if generator.chance(75) { held.append(HeldTally(key: key, opening: nil)) }
        }
    }

    private func sendSomething(_ attached: [HeldTally]) {
        // Nothing is sent to halls.
        let attached = attached.filter { $0.viewModel != "hall" }
        guard let held = attached.randomElement(using: &generator) else { return }
        let event = addSomething(to: held)
        send(held, event.number, event.deed, event.text)
    }

    @discardableResult private func addSomething(to held: HeldTally) -> (number: Int, deed: TallyDeed, text: String) {
        held.lastNumber += 1
        let deed: TallyDeed =
            switch Int.random(in: 0..<100, using: &generator) {
            case let chance where held.viewModel == "window": Self.windowDeed(chance)
            case 0..<15 where world.isUnhurried: .share
            case 15..<25 where world.isUnhurried: .pop
            case 25..<35 where world.isUnhurried: .push
            case 0..<35: .say
            case 35..<40: .refuse
            case 40..<55: .hush
            case 55..<80: .share
            case 80..<88: .push
            case 88..<93: .present
            case 93..<97: .pop
            default: .dismiss
            }
        let mostWait = world.isUnhurried ? 3_000 : 600
        let wait = generator.chance(world.isUnhurried ? 60 : 30) ? Int.random(in: 1...mostWait, using: &generator) : 0
        let text =
            #"{"kind":"add","by":"\#(name)","number":\#(held.lastNumber),"deed":"\#(deed)","wait":\#(wait)}"#
        held.pending.append((held.lastNumber, deed, text))
        return (held.lastNumber, deed, text)
    }

    private static func windowDeed(_ chance: Int) -> TallyDeed {
        switch chance {
        case 0..<10: .say
        case 10..<15: .refuse
        case 15..<40: .send
        case 40..<55: .sendMore
        case 55..<65: .sendRefused
        case 65..<80: .sendEcho
        case 80..<92: .push
        default: .pop
        }
    }

    /// - Parameter before: the number that its view will have.
    private func send(_ held: HeldTally, _ number: Int, _ deed: TallyDeed, _ text: String, before: Int? = nil) {
        guard let view = held.view ?? before else { return }
        ask(
            .event(held, number, view: view), .event(number: number, deed, view: view), "view/event",
            #"{"session":\#(view),"event":\#(text),"number":\#(number)}"#)
    }

    /// Nothing is awaited: the first view of a connection has the number 1.
    private func sendBeforeItIsThere(_ held: HeldTally) {
        if held.viewModel == "hall" { return }
        if generator.chance(70) { addSomething(to: held) }
        for event in held.pending { send(held, event.number, event.deed, event.text, before: 1) }
    }

    private func goBack(_ attached: [HeldTally]) {
        guard let held = attached.randomElement(using: &generator), let view = held.view else { return }
        ask(.back(held, view: view), .other, "navigation/back", #"{"session":\#(view)}"#)
    }

    /// Detaches, or ends it for all.
    private func leave(_ attached: [HeldTally]) {
        guard let held = attached.randomElement(using: &generator), let view = held.view, let key = held.key else {
            return
        }
        let closes = generator.chance(held.opening == nil || held.common != nil ? 25 : 5)
        if closes, held.common == nil { world.willClose(key) }
        // What it waits for is asked for again, where the session goes on.
        held.view = nil
        held.isArriving = true
        ask(
            .leave(held, view: view), .leave(view: view), closes ? "session/close" : "session/detach",
            #"{"session":\#(view)}"#)
    }

    /// As a client does whose answer was lost; it may not wait for this one.
    private func openAgain() {
        let opened = held.first { $0.key != nil && !$0.isGone && $0.opening != nil }
        guard let opened, let opening = opened.opening else { return }
        ask(.again, .open(common: opened.common), "session/open", opening)
        guard generator.chance(60) else { return }
        let (id, wire) = (lastID, wire)
        world.after(.milliseconds(Int.random(in: 0...20, using: &generator))) { [self] in
            if wire === self.wire { tell("$/cancelRequest", #"{"id":\#(id)}"#) }
        }
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
        write(#"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)","params":\#(params)}"#, wire)
    }

    private func tell(_ method: String, _ params: String) {
        if let wire { write(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#, wire) }
    }

    private func write(_ message: String, _ wire: SharedWire) {
        world.note("\(name) > \(message)")
        wire.near.write { $0.append(contentsOf: Array((message + "\n").utf8)) }
    }

    private func arrive(_ held: HeldTally) {
        guard held.view == nil, !held.isArriving, !held.isGone else { return }
        let isFirst = !hasArrived
        hasArrived = true
        defer { if isFirst, world.isFaulty, generator.chance(40) { sendBeforeItIsThere(held) } }
        if let key = held.key {
            held.isArriving = true
            let since = held.needsSnapshot ? "" : #","since":\#(held.seq)"#
            let epoch = held.epoch.map { #","epoch":"\#($0)""# } ?? ""
            ask(
                .view(held), .attach(key: key, since: held.seq, epoch: held.needsSnapshot ? nil : held.epoch),
                "session/attach",
                #"{"key":"\#(key)","client":"\#(name)"\#(since)\#(held.needsSnapshot ? "" : epoch)}"#)
        } else if let opening = held.opening {
            held.isArriving = true
            ask(.view(held), .open(common: held.common), "session/open", opening)
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
        (self.wire, conversation, bytes, isInitialized, asked, replaced) = (nil, nil, [], false, [:], [])
        hasArrived = false
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
            guard let params = message.member("params"), let view = params.member("session")?.integer(as: Int.self)
            else { return }
            if method == "session/closed" { return didClose(view, params.member("reason")?.string() ?? "") }
            guard let held = held.first(where: { $0.view == view }) else { return }
            held.seq = params.member("seq")?.integer(as: Int.self) ?? held.seq
            if let key = params.member("key")?.string(), method == "navigation/push" || method == "navigation/present" {
                world.learn(key)
            }
            return
        }
        guard let id = message.member("id")?.integer(as: Int.self), let (request, _) = asked.removeValue(forKey: id)
        else { return }
        guard let result = message.member("result") else { return takeError(message, request) }
        switch request {
        case .initialize: isInitialized = true
        case .view(let held): didAttach(held, result)
        case .event(let held, let number, _): didAnswer(held, number)
        case .again:
            // Under its name, so that the view which it had of this session is replaced.
            let key = result.member("key")?.string()
            replaced.formUnion(held.filter { $0.key == key }.compactMap(\.view))
            if let view = result.member("session")?.integer(as: Int.self) {
                ask(.again, .leave(view: view), "session/detach", #"{"session":\#(view)}"#)
            }
        case .back: break
        case .leave(let held, _): held.isArriving = false
        }
    }

    private func didAnswer(_ held: HeldTally, _ number: Int) {
        world.count { $0.answers += 1 }
        held.pending.removeAll { $0.number == number }
        held.answered = max(held.answered, number)
    }

    private func didClose(_ view: Int, _ reason: String) {
        if reason == "replaced" { replaced.insert(view) }
        guard let held = held.first(where: { $0.view == view }) else { return }
        held.view = nil
        switch reason {
        // It has come again itself.
        case "replaced": break
        // It goes on when there is code for it.
        case "failed" where world.breaksCode: break
        case "serverShutdown": cut("told of a shutdown")
        default: didEnd(held, "closed as \(reason)")
        }
    }

    private func didEnd(_ held: HeldTally, _ what: String) {
        held.isGone = true
        held.pending = []
        guard let key = held.key, !world.mayBeGone(key), !world.hasLost else { return }
        world.truth.violate("D5: \(key) is \(what) for \(name), and nobody has ended it")
    }

    private func didAttach(_ held: HeldTally, _ result: JSONValue) {
        held.isArriving = false
        held.view = result.member("session")?.integer(as: Int.self)
        if let key = result.member("key")?.string() {
            held.key = key
            if let viewModel = result.member("viewModel")?.string() { held.viewModel = viewModel }
            decided.insert(key)
            world.learn(key)
        }
        held.epoch = result.member("epoch")?.string() ?? held.epoch
        if held.needsSnapshot || result.member("snapshot") != nil {
            held.seq = result.member("seq")?.integer(as: Int.self) ?? held.seq
            held.needsSnapshot = false
        }
        if let handled = result.member("handled")?.integer(as: Int.self), handled < held.answered {
            if !world.hasLost {
                world.truth.violate("D2: \(name) was answered \(held.answered), and \(handled) was handled")
            }
            // It counts anew from what the store still knows.
            (held.answered, held.lastNumber, held.pending) = (handled, handled, [])
        }
        for event in held.pending { send(held, event.number, event.deed, event.text) }
    }

    /// Such as that the store is away: it comes back later.
    private func takeError(_ message: JSONValue, _ request: Asked) {
        let code = message.member("error")?.member("code")?.integer(as: Int.self) ?? 0
        switch (request, code) {
        case (.event(let held, let number, _), Self.viewModelFailed)
        where message.member("error")?.member("message")?.string() == Refusal(client: name, number: number).description:
            return didAnswer(held, number)
        // There may be nothing to go back to.
        case (.again, _), (.back, Self.invalidRequest): return
        case (.view(let held), Self.invalidParams) where world.hasLost && !held.needsSnapshot:
            (held.needsSnapshot, held.isArriving) = (true, false)
            return
        case (_, Self.invalidParams) where world.hasLost: break
        // Its view didn't come to be.
        case (.event(let held, _, let view), Self.unknownSession) where held.view != view: break
        // Its view was replaced by another one of this client, which sends it again.
        case (.event(_, _, let view), Self.unknownSession) where replaced.contains(view),
            (.back(_, let view), Self.unknownSession) where replaced.contains(view):
            return
        case (.leave(let held, let view), Self.unknownSession) where replaced.contains(view):
            held.isArriving = false
            return
        // Its life is over. Whether there is another one an attachment tells.
        case (.event, Self.unknownSession) where world.breaksCode, (.back, Self.unknownSession) where world.breaksCode,
            (_, Self.viewModelFailed) where world.breaksCode:
            break
        case (.view(let held), Self.unknownSession), (.event(let held, _, _), Self.unknownSession),
            (.back(let held, _), Self.unknownSession), (.leave(let held, _), Self.unknownSession):
            return didEnd(held, "unknown")
        case (_, Self.storeUnavailable), (_, Self.requestCancelled): break
        default:
            let text = message.member("error").map { String(decoding: $0.text, as: UTF8.self) } ?? ""
            world.truth.violate("\(name) is refused \(request): \(text)")
        }
        cut("refused")
    }

    private static let invalidRequest = -32600
    private static let invalidParams = -32602
    private static let unknownSession = -32012
    private static let viewModelFailed = -32014
    private static let storeUnavailable = -32016
    private static let requestCancelled = -32800

    /// Each of its events has been done.
    func checkAtEnd() {
        for held in held where !held.isGone && !world.hasLost {
            guard let key = held.key, !world.mayBeGone(key) else { continue }
            let stored = world.store.number(key, of: name)
            if stored != held.lastNumber {
                world.truth.violate("D2: of \(name)'s \(held.lastNumber) events for \(key) \(stored) are stored")
            }
        }
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
