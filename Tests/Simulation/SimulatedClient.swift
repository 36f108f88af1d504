import Serving
import Sessions
import TestSupport
import Transport

/// A client that does anything at any time, comes back each time that its connection is lost, as the protocol says, and
/// holds all that it is told against the protocol's guarantees.
///
/// This file has its connections, `SimulatedClient+Actions` what it does, `SimulatedClient+Answers` and
/// `SimulatedClient+Notifications` what it takes for right. Confined to the loop.
///
/// One object beyond 400 lines: all of it decides by the same state, that of one client.
final class SimulatedClient {
    /// A request that waits for its answer.
    enum Asked {
        case initialize
        case open(HeldView)
        case attach(HeldView, since: Int?)
        case detach(HeldView, Int)
        case close(HeldView, Int)
        /// `order` is 0 in a batch, whose answers come together.
        case event(HeldView, view: Int, tag: Int, number: Int, order: Int, deed: Act.Deed)
        case list
        case ping
        case unknownMethod
        case wrongParams
        case back(HeldView)
        case shutdown
    }

    /// More events behind one that hangs than may wait.
    struct Saturation {
        let hang: Int
        var tags: Set<Int>
        let refusals: Int
        var refused = 0
    }

    private final class WeakStream {
        weak var stream: MemoryStream?
        init(_ stream: MemoryStream) { self.stream = stream }
    }

    let name: String
    let index: Int
    unowned let simulation: Simulation
    var generator: SeededGenerator

    var link: SimulatedLink?
    private var streams: [WeakStream] = []
    var restingSteps = 0
    /// When it ended its input.
    var inputEnd: Duration?
    private var lastID = 0
    var isInitialized = false
    /// It has said that it ends, or sent what ends the connection.
    var isEnding = false
    var isSettling = false
    var asked: [String: Asked] = [:]
    /// Answers without an id that are due.
    var expectedNulls = 0
    /// By their numbers on this connection.
    var views: [Int: HeldView] = [:]
    /// All numbers that this connection was given.
    var usedNumbers: Set<Int> = []
    /// Openings and attachments that it has asked for.
    var arrivals = 0
    /// Views that this connection ended, whose last events may be on their way.
    var leaving: Set<Int> = []
    /// By view: the order of the last event that was answered.
    var lastAnswered: [Int: Int] = [:]
    var saturation: Saturation?
    /// The events that don't fit, and take their numbers all the same, by their tags.
    var undecodable: Set<Int> = []
    /// The events that it has cancelled, by their tags.
    var cancelled: Set<Int> = []
    private var batch: [String]?

    var held: [HeldView] = []

    init(_ index: Int, _ simulation: Simulation, seed: Int) {
        name = "client-\(index)"
        self.index = index
        self.simulation = simulation
        generator = SeededGenerator(seed: seed)
    }

    var truth: Truth { simulation.truth }
    var hasSentAll: Bool { link?.hasSentAll ?? true }
    var hasStreams: Bool { streams.contains { $0.stream != nil } }

    func isAttached(to key: String) -> Bool {
        link != nil && views.values.contains { $0.key == key }
    }

    func isArriving(at key: String) -> Bool {
        link != nil && held.contains { $0.key == key && $0.isArriving }
    }

    func violate(_ what: String) {
        truth.violate("step \(simulation.outcome.steps), \(name): \(what)")
    }

    /// It is owed nothing, and has nothing to do.
    var isAtRest: Bool {
        link != nil && isInitialized && asked.isEmpty && expectedNulls == 0 && hasSentAll
            && !held.contains { $0.isUnfinished }
    }

    /// For a person: what keeps it from rest.
    var unrest: String {
        let unfinished = held.filter(\.isUnfinished).map(\.label)
        let asked = asked.sorted { $0.key < $1.key }
        return "\(name) \(isInitialized ? "" : "isn't connected, ")waits for \(asked), \(expectedNulls), \(unfinished)"
    }
}

/// Its connections.
extension SimulatedClient {
    /// One step of the simulation.
    func advance(mayAct: Bool) {
        if let link {
            if mayAct, isInitialized, !isEnding, generator.chance(45) { act() }
            if isSettling, isInitialized, !isEnding { resume() }
            link.step()
        } else if restingSteps > 0 {
            restingSteps -= 1
        } else if !simulation.isDraining {
            connect()
        }
    }

    private func connect() {
        guard let core = simulation.core else { return }
        let fate = makeFate()
        let (near, far) = MemoryStream.pair(
            loop: simulation.loop, capacity: fate.capacity, pieceBytes: fate.readBytes)
        streams.removeAll { $0.stream == nil }
        streams += [WeakStream(near), WeakStream(far)]
        core.serve(far)
        simulation.count { $0.connections += 1 }
        simulation.note("\(name) connects")
        link = SimulatedLink(
            near, fate, seed: Int(truncatingIfNeeded: generator.next()),
            didMove: { [unowned simulation] in simulation.didMove() },
            didReceive: { [unowned self] in receive($0) },
            didEnd: { [unowned self] in linkDidEnd(isCut: $0) })
        ask(.initialize, "initialize", generator.chance(50) ? #"{"trace":"off"}"# : nil)
    }

    private func makeFate() -> SimulatedLink.Fate {
        let isFaulty = !isSettling && generator.chance(50)
        return SimulatedLink.Fate(
            sentBytes: isFaulty && generator.chance(60) ? Int.random(in: 1...3_000, using: &generator) : nil,
            receivedBytes: isFaulty && generator.chance(60) ? Int.random(in: 1...4_000, using: &generator) : nil,
            pieceBytes: isFaulty && generator.chance(30) ? Int.random(in: 1...200, using: &generator) : .max,
            capacity: Int.random(in: 200...20_000, using: &generator),
            readBytes: generator.chance(20) ? Int.random(in: 200...800, using: &generator) : .max,
            isHalfHeard: generator.chance(50), usesHeaders: generator.chance(50))
    }

    func cut() {
        link?.cut()
    }

    /// Loses its connection, and comes back in so many steps.
    func leave(for steps: Int) {
        cut()
        restingSteps = steps
    }

    /// Whether the server has waited for as long as it owes a client that has ended its input, and reads slowly.
    private var isBeyondGrace: Bool {
        inputEnd.map { simulation.now - $0 >= simulation.limits.drainGrace } ?? false
    }

    private func linkDidEnd(isCut: Bool) {
        simulation.note("\(name) has lost its connection\(isCut ? ": cut" : "")")
        if isCut {
            simulation.count { $0.cuts += 1 }
        } else if link?.isHalfClosed == true, !asked.isEmpty || expectedNulls > 0, !isBeyondGrace {
            violate("the connection ended, and these were read and not answered: \(asked)")
        } else if !isEnding, link?.isHalfClosed != true, !simulation.isDraining {
            violate("the server ended the connection without a reason")
        }
        for held in views.values { if let key = held.key { simulation.didHold(key) } }
        link = nil
        (isInitialized, isEnding, expectedNulls, saturation, batch) = (false, false, 0, nil, nil)
        inputEnd = nil
        for request in asked.values { didLoseAnswer(to: request) }
        (asked, views, usedNumbers, leaving, lastAnswered, arrivals) = ([:], [:], [], [], [:], 0)
        for held in held {
            if held.isArriving, let key = held.key { simulation.didTry(key) }
            if held.number != nil || held.isOpening { held.lastHere = simulation.now }
            (held.number, held.isArriving, held.isOpening, held.needsResending, held.lastOrder) =
                (nil, false, false, false, 0)
        }
        restingSteps = isSettling ? 1 : Int.random(in: 0...30, using: &generator)
    }

    private func didLoseAnswer(to request: Asked) {
        switch request {
        case .open(let held):
            // Nobody has its key.
            if !held.isRepeatable {
                held.isGone = true
                held.name.map { truth.mayEnd($0) }
            }
        case .close(let held, _): held.isGone = true
        default: break
        }
    }

    /// After `initialize`: attaches what it holds, and opens again what wasn't answered.
    func comeBack() {
        for held in held where !held.isGone && !held.isLeft { arrive(held) }
    }

    func arrive(_ held: HeldView) {
        guard !held.isArriving, held.number == nil, isInitialized, !isEnding else { return }
        if let opening = held.opening, held.key == nil || held.isRepeatable && generator.chance(10) {
            held.isArriving = true
            held.isOpening = true
            arrivals += 1
            if simulation.now - held.lastHere >= simulation.limits.resumeWindow { held.mostMade += 1 }
            return ask(.open(held), "session/open", opening)
        }
        guard let key = held.key else { return }
        held.isArriving = true
        arrivals += 1
        var params = #"{"key":"\#(key)""#
        let since = held.needsSnapshot ? nil : held.seq
        if let since { params += #","since":\#(since)"# }
        if held.isNamed { params += #","client":"\#(name)""# }
        ask(.attach(held, since: since), "session/attach", params + "}")
    }

    func receive(_ bytes: [UInt8]) {
        simulation.didReceive(bytes, index)
        simulation.note("\(name) < \(String(decoding: bytes.prefix(2_000), as: UTF8.self))")
        take(bytes)
    }

    func forget() {
        link?.cut()
        held = []
    }
}

/// Its messages.
extension SimulatedClient {
    func ask(_ request: Asked, _ method: String, _ params: String?) {
        lastID += 1
        let id = lastID % 7 == 0 ? #""\#(lastID)""# : "\(lastID)"
        asked[id] = request
        send(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)""# + (params.map { #","params":\#($0)}"# } ?? "}"))
    }

    func notify(_ method: String, _ params: String) {
        send(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#)
    }

    private func send(_ message: String) {
        if batch != nil {
            batch?.append(message)
        } else {
            simulation.note("\(name) > \(message.prefix(2_000))")
            link?.send(message)
        }
    }

    func inBatch(_ body: () -> Void) {
        batch = []
        body()
        let messages = batch ?? []
        batch = nil
        if !messages.isEmpty { send("[\(messages.joined(separator: ","))]") }
    }

    /// - Parameter number: the client's number for it; 0 for none.
    func sendEvent(_ held: HeldView, _ text: String, tag: Int, number: Int, deed: Act.Deed) {
        guard let view = held.number else { return }
        held.lastOrder += 1
        let order = batch == nil ? held.lastOrder : 0
        let end = number > 0 ? #","number":\#(number)}"# : "}"
        ask(
            .event(held, view: view, tag: tag, number: number, order: order, deed: deed), "view/event",
            #"{"session":\#(view),"event":\#(text)"# + end)
    }

    /// Sends the numbered events again that have no answer.
    func resend(_ held: HeldView) {
        held.needsResending = false
        guard !isEnding else { return }
        for event in held.pending {
            sendEvent(held, event.text, tag: event.tag, number: event.number, deed: event.deed)
        }
    }
}

extension SimulatedClient.Asked {
    func isNumberedEvent(of held: HeldView) -> Bool {
        if case .event(let other, _, _, let number, _, _) = self { other === held && number > 0 } else { false }
    }
}

extension Act {
    /// As a view event on the wire.
    var text: String {
        #"{"kind":"act","value":{"by":"\#(by)","tag":\#(tag),"number":\#(number),"deed":"\#(deed)","count":\#(count)}}"#
    }
}
