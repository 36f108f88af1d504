import Serving
import Sessions
import TestSupport
import Transport

/// A whole server with its clients on one thread, in virtual time. The seed decides about everything.
///
/// Each step is one turn of the loop: every client sends and does something, or nothing; what that sets off runs in the
/// same turn and the next ones. Time passes when nothing else moves. After so many steps the network heals, every client
/// comes back and gets what it is owed; then the server drains, and nothing may be left of it.
///
/// Confined to its loop.
final class Simulation {
    struct Outcome: Sendable, Equatable {
        var seed: Int
        /// Of everything that the clients received, and when.
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        var steps = 0
        var connections = 0
        var cuts = 0
        var events = 0
        var answers = 0
        var violations: [String] = []
        /// The last things that happened, of a seed that failed.
        var trail: [String] = []
    }

    private enum Phase {
        case acting
        case settling
        case draining
        case leaving
    }

    /// Steps without anything, after which time passes.
    private static let quietSteps = 12
    private static let awaySteps = 120
    private static let mostSteps = 8_000

    let loop: EventLoop
    let truth: Truth
    let limits: Limits
    private(set) var core: ServerCore?
    private weak var weakCore: ServerCore?
    private var generator: SeededGenerator
    private var clients: [SimulatedClient] = []
    /// By the keys that clients know: what others may attach to.
    private(set) var known: [(key: String, kind: ModelKind, name: String?)] = []
    /// When a client was last attached to a session, by its key.
    private var lastHeld: [String: Duration] = [:]
    /// When a client last asked for one and didn't learn whether it came to hold it.
    private var lastTried: [String: Duration] = [:]
    private var phase = Phase.acting
    private var actingSteps: Int
    private var lastMove = 0
    private var away: (step: Int, Duration)?
    private(set) var outcome: Outcome
    private let done: (Outcome) -> Void

    init(
        seed: Int, core: ServerCore, limits: Limits, truth: Truth, loop: EventLoop,
        done: @escaping (Outcome) -> Void
    ) {
        self.core = core
        weakCore = core
        self.limits = limits
        self.truth = truth
        self.loop = loop
        self.done = done
        generator = SeededGenerator(seed: seed)
        outcome = Outcome(seed: seed)
        actingSteps = Int.random(in: 40...260, using: &generator)
        for index in 0..<Int.random(in: 1...4, using: &generator) {
            clients.append(
                SimulatedClient(index, self, seed: Int(truncatingIfNeeded: generator.next())))
        }
    }

    var isDraining: Bool { phase == .draining || phase == .leaving }
    var now: Duration { truth.clock.now.offset }

    func begin() {
        loop.atEndOfTurn { self.step() }
    }

    /// Something happened: time stands still for some steps more.
    func didMove() {
        lastMove = outcome.steps
    }

    func note(_ what: @autoclosure () -> String) {
        didMove()
        guard Self.keepsTrail else { return }
        outcome.trail.append("\(outcome.steps) at \(now): \(what())")
    }

    /// Set for a seed that is run again since it failed.
    nonisolated(unsafe) static var keepsTrail = false

    func didReceive(_ bytes: [UInt8], _ client: Int) {
        for byte in bytes { mix(UInt64(byte)) }
        mix(UInt64(client) << 32 | UInt64(outcome.steps))
    }

    private func mix(_ value: UInt64) {
        outcome.digest = (outcome.digest ^ value) &* 0x100_0000_01B3
    }

    func count(_ body: (inout Outcome) -> Void) {
        body(&outcome)
    }

    /// Another client may attach to it.
    func didLearn(_ held: HeldView) {
        guard let key = held.key, !known.contains(where: { $0.key == key }) else { return }
        known.append((key, held.kind, held.name))
    }

    func didTry(_ key: String) {
        lastTried[key] = now
    }

    func didHold(_ key: String) {
        lastHeld[key] = now
    }

    /// Whether a session that nobody ended may have ended by itself, since nobody held it for long.
    func mayHaveExpired(_ key: String?) -> Bool {
        guard let key else { return false }
        if clients.contains(where: { $0.isAttached(to: key) }) { return false }
        return now - (lastHeld[key] ?? .zero) >= limits.resumeWindow
    }

    /// Whether a session must have ended by itself: nobody has had a view of it for much longer than it waits.
    func mustHaveExpired(_ key: String) -> Bool {
        guard let last = lastHeld[key], !clients.contains(where: { $0.isAttached(to: key) || $0.isArriving(at: key) })
        else { return false }
        return now - max(last, lastTried[key] ?? .zero) > limits.resumeWindow + .seconds(10)
    }

    private func step() {
        outcome.steps += 1
        switch phase {
        case .acting: act()
        case .settling: settle()
        case .draining: passTimeIfQuiet()
        case .leaving: leave()
        }
        for client in clients { client.advance(mayAct: phase == .acting) }
        if outcome.steps > Self.mostSteps, phase != .leaving {
            truth.violate("it never came to an end: \(clients.map(\.unrest).joined(separator: "; "))")
            finish()
        } else if !isFinished {
            loop.atEndOfTurn { self.step() }
        }
    }

    private func act() {
        if generator.chance(2) { truth.clock.advance(by: .milliseconds(Int.random(in: 1...50, using: &generator))) }
        // Everybody is away, for longer than a session waits for anybody. First the server must notice.
        if generator.chance(30), outcome.steps % 100 == 0 {
            for client in clients { client.leave(for: Self.awaySteps + 1) }
            away = (outcome.steps + Self.awaySteps, .seconds(generator.chance(60) ? 200 : 100))
        }
        if let (step, duration) = away, step == outcome.steps { truth.clock.advance(by: duration) }
        passTimeIfQuiet()
        guard outcome.steps >= actingSteps else { return }
        phase = .settling
        for client in clients { client.settle() }
    }

    private func settle() {
        guard clients.allSatisfy(\.isAtRest), outcome.steps - lastMove > Self.quietSteps else {
            return passTimeIfQuiet()
        }
        for client in clients { client.compare() }
        drain()
    }

    private func passTimeIfQuiet() {
        guard outcome.steps - lastMove > Self.quietSteps, clients.allSatisfy({ $0.hasSentAll }) else { return }
        lastMove = outcome.steps
        guard let next = truth.clock.nextWake, phase != .acting || next.offset - now < .seconds(30) else {
            return truth.clock.advance(by: .milliseconds(100))
        }
        _ = truth.clock.wakeNext(upTo: next)
    }

    private func drain() {
        guard let core else { return }
        for client in clients { client.end(&generator) }
        phase = .draining
        self.core = nil
        let this = LoopBound(self, loop: loop)
        let loop = loop
        Task.detached(executorPreference: loop) {
            await core.drain()
            loop.execute { this.value.didDrain() }
        }
    }

    private func didDrain() {
        phase = .leaving
        for client in clients { client.cut() }
        lastMove = outcome.steps
    }

    /// Nothing may be left, once what sleeps has had its time.
    private func leave() {
        if truth.clock.nextWake != nil { return passTimeIfQuiet() }
        guard outcome.steps - lastMove > Self.quietSteps * 2 else { return }
        if truth.clock.sleeperCount > 0 { truth.violate("\(truth.clock.sleeperCount) tasks sleep on") }
        if !truth.liveModels.isEmpty { truth.violate("view models are left: \(truth.liveModels)") }
        if weakCore != nil { truth.violate("the server is left") }
        for client in clients where client.hasStreams { truth.violate("\(client.name) has a stream left") }
        finish()
    }

    private var isFinished = false

    private func finish() {
        isFinished = true
        outcome.violations = truth.violations
        outcome.events = truth.sentEvents
        core = nil
        for client in clients { client.forget() }
        done(outcome)
    }
}
