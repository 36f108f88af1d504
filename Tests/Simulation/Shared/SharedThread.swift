import Sessions
import Stores
import Transport

/// Runs the journal of one life of a server in virtual time, in the place of its thread: a call of the store is on its way for
/// a while, and so is its answer. Of a server that was killed nothing comes back; of one that is paused nothing goes on.
///
/// Confined to the loop.
final class SharedThread {
    /// Tells the thread that there is work. Apart, as it is there before the journal.
    private final class Waker {
        weak var thread: SharedThread?
    }

    let journal: Journal
    private let world: SharedWorld
    private let place: SharedPlace
    private var isDead = false
    private var isResting = false
    private var restCount = 0

    init(_ world: SharedWorld, _ place: SharedPlace, _ store: any SessionStore, _ id: String) {
        (self.world, self.place) = (world, place)
        let waker = Waker()
        let (wake, notes) = (LoopBound(waker, loop: world.loop), LoopBound(world, loop: world.loop))
        journal = Journal(
            store, now: { notes.value.time }, log: { text in notes.value.note("\(id): \(text)") },
            wake: { wake.value.thread?.wake() })
        waker.thread = self
        rest()
    }

    /// Nothing of this life is stored or heard of any more, but for what is on its way to the store.
    func die() {
        isDead = true
    }

    private func wake() {
        guard isResting else { return }
        isResting = false
        world.after(.zero) { self.step() }
    }

    private func step() {
        guard !isDead else { return }
        if place.isPaused { return place.onResume { self.step() } }
        switch journal.next() {
        case .call(let call): perform(call)
        case .pause: world.after(journal.retryDelay) { self.step() }
        case .wait: rest()
        case .end: break
        }
    }

    private func rest() {
        isResting = true
        restCount += 1
        world.after(journal.renewalInterval) { [self, restCount] in
            guard isResting, self.restCount == restCount else { return }
            isResting = false
            journal.renew()
            step()
        }
    }

    private func perform(_ call: JournalCall) {
        world.after(world.storeDelay) { [self] in
            // A file is written by the process itself.
            if isDead, world.store.isInProcess { return }
            let answer = call.perform(on: journal.store)
            world.after(world.answerDelay()) { self.hear(answer) }
        }
    }

    private func hear(_ answer: JournalAnswer) {
        guard !isDead else { return }
        if place.isPaused { return place.onResume { self.hear(answer) } }
        journal.take(answer)
        step()
    }
}
