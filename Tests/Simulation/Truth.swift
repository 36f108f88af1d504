import Synchronization
import TestSupport

/// What the view models of one simulation have really done, against which its clients hold what they are told.
///
/// Locked, as view models may call it on any thread; in a simulation there is one.
final class Truth: Sendable {
    /// One view model, by the name that its client gave it.
    struct Model {
        /// How many were ever made under the name.
        var made = 0
        var live = 0
        /// How many events it has sent, which are numbered from 1.
        var sent = 0
        /// By client: the highest number that was applied.
        var numbers: [String: Int] = [:]
        /// By client: the newest event without a number that was applied.
        var unnumbered: [String: Int] = [:]
        /// A reason for its end is known.
        var mayEnd = false
    }

    /// One view event, by its tag.
    struct Deed {
        var timesApplied = 0
        /// Its handler has returned or thrown.
        var isOver = false
        /// The last event that its handler sent.
        var lastEvent = 0
    }

    private struct State {
        var models: [String: Model] = [:]
        var deeds: [Int: Deed] = [:]
        var lastTag = 0
        var lastName = 0
        var violations: [String] = []
    }

    let clock: ManualClock
    private let state = Mutex(State())

    init(clock: ManualClock) {
        self.clock = clock
    }

    var violations: [String] { state.withLock { $0.violations } }

    func violate(_ violation: String) {
        state.withLock { $0.violations.append(violation) }
    }

    /// Names an event for good, however often it is sent.
    func newTag() -> Int {
        state.withLock { state in
            state.lastTag += 1
            return state.lastTag
        }
    }

    func newName() -> String {
        state.withLock { state in
            state.lastName += 1
            return "m\(state.lastName)"
        }
    }

    subscript(model name: String) -> Model { state.withLock { $0.models[name] ?? Model() } }

    subscript(deed tag: Int) -> Deed { state.withLock { $0.deeds[tag] ?? Deed() } }

    var liveModels: [String] { state.withLock { $0.models.filter { $0.value.live > 0 }.keys.sorted() } }

    var sentEvents: Int { state.withLock { $0.models.values.reduce(0) { $0 + $1.sent } } }

    /// Somebody has done what may end the session.
    func mayEnd(_ name: String) {
        state.withLock { $0.models[name, default: Model()].mayEnd = true }
    }

    /// - Returns: how many were made under this name. The newest alone counts.
    func didMake(_ name: String) -> Int {
        state.withLock { state in
            var model = state.models[name, default: Model()]
            model.made += 1
            model.live += 1
            (model.sent, model.numbers, model.unnumbered) = (0, [:], [:])
            state.models[name] = model
            return model.made
        }
    }

    func didRelease(_ name: String) {
        state.withLock { $0.models[name, default: Model()].live -= 1 }
    }

    /// A handler begins. Each event at most once, those of a client in the order of their numbers.
    func apply(_ act: Act, to name: String, _ generation: Int) {
        state.withLock { state in
            guard state.models[name]?.made == generation else { return }
            state.deeds[act.tag, default: Deed()].timesApplied += 1
            if state.deeds[act.tag]?.timesApplied != 1 {
                state.violations.append("\(act.by)'s event \(act.number) (\(act.tag)) was applied to \(name) again")
            }
            var model = state.models[name, default: Model()]
            if act.number > 0 {
                let last = model.numbers[act.by, default: 0]
                if act.number <= last {
                    state.violations.append("\(act.by)'s event \(act.number) was applied to \(name) after \(last)")
                }
                model.numbers[act.by] = act.number
            } else {
                let last = model.unnumbered[act.by, default: 0]
                if act.tag <= last {
                    state.violations.append("\(act.by)'s event \(act.tag) was applied to \(name) after \(last)")
                }
                model.unnumbered[act.by] = act.tag
            }
            state.models[name] = model
        }
    }

    /// The number of an event that is about to be sent.
    func nextEvent(of name: String, _ generation: Int, by tag: Int? = nil) -> Int {
        state.withLock { state in
            guard state.models[name]?.made == generation else { return 0 }
            state.models[name, default: Model()].sent += 1
            let number = state.models[name]?.sent ?? 0
            if let tag { state.deeds[tag, default: Deed()].lastEvent = number }
            return number
        }
    }

    func didFinish(_ tag: Int) {
        state.withLock { $0.deeds[tag, default: Deed()].isOver = true }
    }
}
