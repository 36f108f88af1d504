import Serving
import Sessions
import Stores
import TestSupport
import Transport
import ViewModels

/// A place in the network where servers run, one after another. Each has an id of its own in the store; the address is that
/// of the place.
///
/// Confined to the loop.
final class SharedPlace {
    /// The link to another place, or one that is being made, as `LinkTable` has them.
    private final class Entry {
        var link: Link?
        var isOpen = false
        var waiting: [@Sendable (Link?) -> Void] = []
    }

    private static let token = Array("token".utf8)

    let address: String
    private let world: SharedWorld
    private(set) var core: ServerCore?
    private var links: ServerLinks?
    private var thread: SharedThread?
    private var life = 0
    private(set) var isDraining = false
    private(set) var isPaused = false
    private var resumptions: [() -> Void] = []
    private var entries: [String: Entry] = [:]
    var wires: [SharedWire] = []

    init(_ index: Int, _ world: SharedWorld) {
        address = "place-\(index)"
        self.world = world
    }

    /// It can be killed, paused or drained.
    var isAtWork: Bool { core != nil && !isDraining && !isPaused }

    func start() {
        guard core == nil, !world.isOver else { return }
        let id = "\(address)-\(life + 1)"
        let store: any SessionStore
        do throws(StoreError) {
            store = try world.store.open(id, at: address)
        } catch {
            world.note("\(id) can't start: \(error.reason)")
            return world.after(.milliseconds(200)) { self.start() }
        }
        life += 1
        let thread = SharedThread(world, self, store, id)
        let (loop, this, life) = (world.loop, LoopBound(self, loop: world.loop), life)
        let links = ServerLinks(token: Self.token, loops: [loop]) { address, then in
            loop.execute { this.value.connect(to: address, in: life, then) }
        }
        let keys = LoopBound(world, loop: loop)
        core = ServerCore(
            registry: world.truth.registry(hasCommon: world.hasCommon, hasHalls: world.hasHalls),
            limits: world.limits,
            log: ServerLog(level: .warning, write: { text in keys.value.note("\(id): \(text)") }),
            links: links, timers: loop, clock: world.truth.clock, makeKey: { keys.value.makeKey() },
            makeName: { keys.value.makeName() }, journal: thread.journal)
        (self.thread, self.links) = (thread, links)
        world.note("\(id) starts")
    }

    /// A client's connection.
    func serve(_ wire: SharedWire) {
        core?.serve(wire.far, isPatient: true)
    }

    func kill(awayFor time: Duration) {
        guard core != nil else { return }
        world.note("\(address)-\(life) is killed")
        world.count { $0.kills += 1 }
        end()
        world.check()
        world.after(time) { self.start() }
    }

    /// Nothing is left of it but what is on its way to the store.
    func end() {
        thread?.die()
        // A process that ends closes its files.
        if world.store.isInProcess { thread?.journal.store.close() }
        (core, links, thread) = (nil, nil, nil)
        (isDraining, isPaused, resumptions) = (false, false, [])
        for wire in wires { wire.cut() }
        entries = [:]
    }

    func pause(for time: Duration) {
        world.note("\(address)-\(life) is paused for \(time)")
        isPaused = true
        world.after(time) { [life] in
            if life == self.life { self.resume() }
        }
    }

    func resume() {
        guard isPaused else { return }
        world.note("\(address)-\(life) goes on")
        isPaused = false
        let actions = resumptions
        resumptions = []
        for action in actions { action() }
        for wire in wires { wire.resume() }
    }

    /// Calls `action` when this life of the server goes on, or never.
    func onResume(_ action: @escaping () -> Void) {
        resumptions.append(action)
    }

    func drain(awayFor time: Duration) {
        guard let core else { return }
        world.note("\(address)-\(life) drains")
        isDraining = true
        let this = LoopBound(self, loop: world.loop)
        Task.detached(executorPreference: world.loop) { [loop = world.loop, life] in
            await core.drain()
            loop.execute { this.value.didDrain(life, awayFor: time) }
        }
    }

    private func didDrain(_ life: Int, awayFor time: Duration) {
        guard life == self.life, core != nil else { return }
        world.note("\(address)-\(life) has drained")
        end()
        world.after(time) { self.start() }
    }

    private func connect(to address: String, in life: Int, _ then: @escaping @Sendable (Link?) -> Void) {
        guard life == self.life, core != nil else { return }
        if let entry = entries[address] {
            if entry.isOpen, let link = entry.link { then(link) } else { entry.waiting.append(then) }
            return
        }
        let entry = Entry()
        entry.waiting = [then]
        entries[address] = entry
        guard let other = world.place(address), let core = other.core, let links = other.links else {
            return world.after(.milliseconds(2)) { self.forget(entry, address) }
        }
        world.count { $0.links += 1 }
        let wire = SharedWire(world, from: self, to: other, mayBreak: world.isFaulty)
        links.accept(wire.far, core)
        entry.link = Link(connecting: wire.near, token: Self.token) {
            entry.isOpen = true
            self.answer(entry)
        } didClose: { _ in
            self.forget(entry, address)
        }
    }

    private func forget(_ entry: Entry, _ address: String) {
        if entries[address] === entry { entries[address] = nil }
        entry.link = nil
        answer(entry)
    }

    private func answer(_ entry: Entry) {
        let waiting = entry.waiting
        entry.waiting = []
        for then in waiting { then(entry.link) }
    }
}
