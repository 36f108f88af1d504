import Sessions
import TestSupport
import Transport

/// Several servers with one store, and their clients, on one thread and in virtual time. The seed decides about everything.
///
/// The code of the servers is the shipped one, with their links, journals and stores. Made up are the network (`SharedWire`),
/// the thread of a journal (`SharedThread`), and the Redis that runs the shipped scripts (`MadeUpRedis`). In some worlds the
/// store is a file of SQLite, and there is one server. Servers are killed, paused and drained, connections cut at any byte,
/// and the store is slow, away, its answers are lost, or in some worlds commits that it has acknowledged. Then everything
/// heals, all clients come back, and each of their events must have been applied once.
///
/// Each step is one turn of the loop. Time passes when nothing else moves.
///
/// Confined to its loop.
final class SharedWorld {
    struct Outcome: Sendable, Equatable {
        var seed: Int
        /// Of everything that left servers for clients, and when.
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        var steps = 0
        var connections = 0
        var links = 0
        var cuts = 0
        var events = 0
        var answers = 0
        /// Scenes that went from one server to another, and commits of servers that had lost theirs.
        var moves = 0
        var lostCommits = 0
        var kills = 0
        /// Windows and halls.
        var halls = HallCounts()
        var violations: [String] = []
        var trail: [String] = []
    }

    private struct Event {
        let time: Duration
        let number: Int
        let work: () -> Void

        func comesAfter(_ other: Event) -> Bool { (time, number) > (other.time, other.number) }
    }

    /// Turns without anything, after which time passes.
    private static let quietSteps = 6
    /// Links have timers that nobody else knows of, so time passes by no more than this.
    private static let longestStep = Duration.milliseconds(50)
    /// Behind so many there is nothing to be learned; behind a defect that was put in, behind the first.
    private static let mostViolations = 20
    /// How many sessions all clients open, in some worlds.
    private static let commonCount = 8
    /// How long it may take everybody to come to rest.
    private static let settlingTime = Duration.seconds(120)

    let loop: EventLoop
    let truth: SharedTruth
    let defect: SharedDefect?
    let store: SharedStore
    let ledger = SharedLedger()
    let leaseTime: Duration
    let limits: Limits
    var generator: SeededGenerator
    private(set) var places: [SharedPlace] = []
    private var clients: [SharedClient] = []
    /// Keys of sessions, for all clients.
    private(set) var known: [String] = []
    /// Those of sessions that clients have opened, and of those that others show: by their keys, what they are shown on.
    private(set) var roots: [String] = []
    private(set) var hosts: [String: String] = [:]
    /// Somebody has asked for the end of these.
    private(set) var closing: Set<String> = []
    /// The keys of the sessions that everyone finds, by what they are opened with.
    private var commonKeys: [String: String] = [:]
    /// The store forgets commits that it has acknowledged, and has done so.
    private let forgets: Bool
    private(set) var hasLost = false
    /// For some time, what is stored can't go on with the code that there is.
    let breaksCode: Bool
    /// Handlers take long, and servers are drained more often than killed.
    let isUnhurried: Bool
    /// Of the times of that, so that these worlds are otherwise as they would be.
    private var breakingGenerator: SeededGenerator
    /// Something may go wrong.
    private(set) var isFaulty = true
    /// When that was over.
    private(set) var healingTime = Duration.zero
    private(set) var isOver = false
    private(set) var outcome: Outcome
    private var storeAway = Duration.zero
    private var storeSlow = Duration.zero
    private var storeLossy = Duration.zero
    private var hasLostAnswer = false
    /// The last is the next.
    private var events: [Event] = []
    private var eventCount = 0
    private var lastMove = 0
    private var lastKey = 0
    private var lastName = 0
    private let actingTime: Duration
    private let keepsTrail: Bool
    private let done: (Outcome) -> Void

    init(
        seed: Int, _ defect: SharedDefect?, loop: EventLoop, clock: ManualClock, keepsTrail: Bool,
        done: @escaping (Outcome) -> Void
    ) {
        (self.loop, self.defect, self.keepsTrail, self.done) = (loop, defect, keepsTrail, done)
        truth = SharedTruth(clock: clock)
        outcome = Outcome(seed: seed)
        store = SharedStore(isFile: Self.hasFile(seed), defect)
        forgets = Self.forgets(seed)
        breaksCode = seed % 4 == 3
        isUnhurried = seed % 5 == 2
        breakingGenerator = SeededGenerator(seed: seed + 1_000_000)
        generator = SeededGenerator(seed: seed)
        leaseTime = .milliseconds(Int.random(in: 1_000...4_000, using: &generator))
        actingTime = .seconds(Int.random(in: 4...12, using: &generator))
        var limits = Limits()
        limits.idleTime = .milliseconds(Int.random(in: seed % 5 == 1 ? 5...200 : 1_000...6_000, using: &generator))
        limits.drainGrace = .milliseconds(Int.random(in: 50...(isUnhurried ? 500 : 5_000), using: &generator))
        self.limits = limits
        store.begin(self)
    }

    /// The store is a file of SQLite.
    static func hasFile(_ seed: Int) -> Bool { seed % 3 == 2 }

    /// The store loses commits that it has acknowledged.
    static func forgets(_ seed: Int) -> Bool { seed % 6 == 4 }

    /// All clients open the same session.
    var hasCommon: Bool { outcome.seed % 7 == 1 }

    var now: Duration { truth.clock.now.offset }

    /// In seconds since 1970.
    var time: Int64 { 1_000_000 + now.components.seconds }

    func begin() {
        let placeCount = store.isInProcess ? 1 : Int.random(in: 2...3, using: &generator)
        for index in 0..<placeCount { places.append(SharedPlace(index, self)) }
        for place in places { place.start() }
        for index in 0..<Int.random(in: 1...4, using: &generator) {
            clients.append(SharedClient(index, self, seed: Int(truncatingIfNeeded: generator.next())))
        }
        for index in 0..<Int.random(in: 1...3, using: &generator) {
            clients.randomElement(using: &generator)?.open("session-\(index)")
        }
        if hasCommon { for number in 0..<Self.commonCount { openCommon(number) } }
        if hasHalls { SharedHalls(self).begin(clients) }
        for client in clients { client.begin() }
        failLater()
        if breaksCode { breakLater() }
        after(actingTime) { self.heal() }
        loop.atEndOfTurn { self.step() }
    }

    /// Does `work` once so much time has passed, never inline.
    func after(_ time: Duration, _ work: @escaping () -> Void) {
        guard !isOver else { return }
        eventCount += 1
        let event = Event(time: now + time, number: eventCount, work: work)
        let index = events.lastIndex { $0.comesAfter(event) }.map { $0 + 1 } ?? 0
        events.insert(event, at: index)
    }

    private func step() {
        guard !isOver else { return }
        outcome.steps += 1
        while let event = events.last, event.time <= now, !isOver {
            events.removeLast()
            didMove()
            event.work()
        }
        if truth.violationCount >= (defect == nil ? Self.mostViolations : 1) {
            end()
        } else if outcome.steps - lastMove > Self.quietSteps {
            passTime()
        } else if generator.chance(3) {
            truth.clock.advance(by: .milliseconds(1))
        }
        if !isOver { loop.atEndOfTurn { self.step() } }
    }

    private func passTime() {
        if !isFaulty, clients.allSatisfy(\.isAtRest), SharedHalls(self).unrest.isEmpty { return finish() }
        if now > actingTime + Self.settlingTime {
            let unrest = clients.map(\.unrest) + SharedHalls(self).unrest
            truth.violate("it never came to an end: \(unrest.joined(separator: "; "))")
            return finish()
        }
        var next = now + Self.longestStep
        if let event = events.last { next = min(next, event.time) }
        if let wake = truth.clock.nextWake { next = min(next, wake.offset) }
        truth.clock.advance(by: max(.zero, next - now))
        lastMove = outcome.steps - Self.quietSteps + 2
    }

    private func finish() {
        checkAtEnd()
        for client in clients { client.checkAtEnd() }
        end()
    }

    private func end() {
        isOver = true
        for client in clients { client.cut("at the end") }
        for place in places { place.end() }
        (events, clients, places) = ([], [], [])
        (outcome.moves, outcome.lostCommits) = (store.moves, store.lostCommits)
        outcome.halls = truth.hallCounts
        outcome.violations = truth.violations
        truth.clock.end()
        done(outcome)
    }
}

// What others tell it, and ask it.
extension SharedWorld {
    /// Something happened: time stands still for some turns more.
    func didMove() {
        lastMove = outcome.steps
    }

    func note(_ what: @autoclosure () -> String) {
        if keepsTrail { outcome.trail.append("\(now): \(what())") }
    }

    func count(_ body: (inout Outcome) -> Void) {
        body(&outcome)
    }

    /// A message leaves a server.
    func mix(_ bytes: [UInt8]) {
        for byte in bytes { outcome.digest = (outcome.digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let time = UInt64(truncatingIfNeeded: now.components.attoseconds)
        outcome.digest = (outcome.digest ^ time) &* 0x100_0000_01B3
    }

    func makeKey() -> String {
        lastKey += 1
        return "key-\(lastKey)"
    }

    /// Of a server or an epoch.
    func makeName() -> String {
        lastName += 1
        return "name-\(lastName)"
    }

    func learn(_ key: String) {
        if !known.contains(key) { known.append(key) }
        if hosts[key] == nil, !roots.contains(key) { roots.append(key) }
    }

    func didShow(_ key: String, on host: String) {
        hosts[key] = host
        learn(key)
    }

    /// What is stored of a session says what it shows.
    func learn(_ session: StoredSession) {
        for case .navigation(let change) in session.turn.entries.map(\.content) {
            hosts[change.child.key] = session.header.key
        }
    }

    /// Has all clients open a session of everyone, each as soon as it can.
    private func openCommon(_ number: Int) {
        after(.milliseconds(Int.random(in: 0...4_000, using: &generator))) { [self] in
            guard isFaulty else { return }
            for client in clients { client.openCommon("common-\(number)") }
        }
    }

    /// A client has found a session of everyone.
    func didFindCommon(_ key: String, by opening: String) {
        if let first = commonKeys[opening], first != key, !hasLost {
            truth.violate("\(first) is everyone's, and so is \(key)")
        }
        commonKeys[opening] = key
    }

    func isCommon(_ key: String) -> Bool { commonKeys.values.contains(key) }

    func willClose(_ key: String) {
        closing.insert(key)
    }

    /// The newest number that is stored of a session; -1 where there is none.
    func newest(_ key: String) -> Int { store.session(key)?.turn.newest ?? -1 }

    func place(_ address: String) -> SharedPlace? { places.first { $0.address == address } }

    func forget(_ wire: SharedWire) {
        for place in places { place.wires.removeAll { $0 === wire } }
    }

    /// The store has looked at a commit, and it can't be.
    func didRefuse(_ reason: String) {
        if defect == nil { truth.violate("a commit is refused by \(reason)") }
    }
}

// What goes wrong.
extension SharedWorld {
    var isStoreAway: Bool { now < storeAway }

    /// What becomes of a command for Redis.
    func fate(of words: [String]) -> MadeUpConnection.Fate {
        if isStoreAway { return .unreachable }
        guard words.first == "EVALSHA", isFaulty, generator.chance(now < storeLossy ? 25 : 1) else { return .answered }
        if generator.chance(30) { return .cut }
        hasLostAnswer = true
        return .unanswered
    }

    /// How long the answer of a call is on its way, or awaited.
    func answerDelay() -> Duration {
        defer { hasLostAnswer = false }
        return hasLostAnswer ? .milliseconds(Int.random(in: 50...1_500, using: &generator)) : storeDelay
    }

    /// How long a call, or its answer, is on its way.
    var storeDelay: Duration {
        if isFaulty, Int.random(in: 0..<400, using: &generator) == 0 { return leaseTime * 1.2 }
        return .milliseconds(Int.random(in: 0...(now < storeSlow ? 400 : 3), using: &generator))
    }

    private func failLater() {
        after(.milliseconds(Int.random(in: 100...1_500, using: &generator))) { [self] in
            guard isFaulty else { return }
            check()
            fail()
            failLater()
        }
    }

    private func fail() {
        guard let place = places.randomElement(using: &generator) else { return }
        let awayTime = Duration.milliseconds(Int.random(in: 10...4_000, using: &generator))
        let part = Double(Int.random(in: 5...300, using: &generator)) / 100
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<15 where place.isAtWork && isUnhurried: place.drain(awayFor: awayTime / 4)
        case 0..<25 where place.isAtWork: place.pause(for: leaseTime * part)
        case 25..<40 where !isUnhurried: place.kill(awayFor: awayTime)
        case 25..<40 where place.isAtWork: place.drain(awayFor: awayTime / 4)
        case 40..<48 where place.isAtWork: place.drain(awayFor: awayTime)
        case 48..<60: place.wires.randomElement(using: &generator)?.cut()
        case 60..<70:
            note("the store is away")
            storeAway = now + leaseTime * (part / 2)
        case 70..<80:
            note("the store is slow")
            storeSlow = now + leaseTime * part
        case 80..<90:
            note("the store's answers are lost")
            storeLossy = now + leaseTime * part
        case 90..<100 where forgets:
            store.remember()
            after(.milliseconds(Int.random(in: 50...800, using: &generator))) { self.loseCommits() }
        default: break
        }
    }

    private func loseCommits() {
        guard isFaulty, store.loseCommits() else { return }
        note("the store has lost commits")
        hasLost = true
        truth.hasLost = true
        // Whoever isn't there for a while comes back with a number that the others have passed meanwhile.
        clients.randomElement(using: &generator)?.stayAway(atMost: 2_000)
    }

    private func breakLater() {
        after(.milliseconds(Int.random(in: 200...3_000, using: &breakingGenerator))) { [self] in
            guard isFaulty else { return }
            let time = Duration.milliseconds(Int.random(in: 100...3_000, using: &breakingGenerator))
            note("the code is broken for \(time)")
            truth.breakCode(until: now + time)
            breakLater()
        }
    }

    private func heal() {
        note("everything heals")
        isFaulty = false
        healingTime = now
        truth.breakCode(until: .zero)
        // Everybody comes to rest soon.
        truth.longestWait = .milliseconds(10)
        (storeAway, storeSlow, storeLossy) = (.zero, .zero, .zero)
        for place in places {
            place.resume()
            place.start()
        }
    }
}
