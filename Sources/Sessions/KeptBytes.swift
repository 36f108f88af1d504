import JSON
import Synchronization

/// The memory that the sessions of a server keep for their clients: events, snapshots, and a share for each session itself.
///
/// Sessions count what they keep as it grows, in steps of `step` bytes, so that a small event costs nothing here. Any
/// thread may use it, with any lock held.
package final class KeptBytes: Sendable {
    /// By how many bytes a session's log must grow or shrink before it is counted anew.
    static let step = 4 << 10
    /// The share of each session itself, in bytes, also where it keeps nothing.
    static let sessionBytes = 4 << 10

    package let maximum: Int
    private let count = Atomic<Int>(0)
    private let isMakingRoom = Atomic<Bool>(false)
    private let makeRoom = Mutex<(executor: any TaskExecutor, call: @Sendable () -> Void)?>(nil)

    package init(maximum: Int = .max) {
        self.maximum = maximum
    }

    /// Sets what makes room when more than `maximum` is kept.
    ///
    /// - Parameters:
    ///   - executor: runs `makeRoom`.
    ///   - makeRoom: called when more than `maximum` is kept, in a task of its own, and not again before it has returned.
    package func whenFull(on executor: any TaskExecutor, _ makeRoom: @escaping @Sendable () -> Void) {
        self.makeRoom.withLock { $0 = (executor, makeRoom) }
    }

    /// The bytes that are kept now.
    package var bytes: Int { count.load(ordering: .relaxed) }

    /// Whether more is kept than `maximum`. Sessions then keep only what their views have yet to see.
    package var isFull: Bool { bytes > maximum }

    /// Counts bytes that are kept, or no longer kept.
    ///
    /// - Parameter change: the number of bytes; negative where they are no longer kept.
    func add(_ change: Int) {
        let bytes = count.wrappingAdd(change, ordering: .relaxed).newValue
        guard change > 0, bytes > maximum, !isMakingRoom.exchange(true, ordering: .relaxed) else { return }
        let makeRoom = makeRoom.withLock { $0 }
        // The caller may hold the lock of a session, and room is made by ending sessions.
        Task.detached(executorPreference: makeRoom?.executor) { [self] in
            makeRoom?.call()
            isMakingRoom.store(false, ordering: .relaxed)
        }
    }

    /// Makes a text that is counted for as long as anybody holds it.
    func text(_ bytes: [UInt8]) -> SharedText {
        add(bytes.count)
        return SharedText(bytes, onRelease: { [self] in add(-$0) })
    }

    /// The answer to a request that would have more kept; nil where there is room.
    package var refusal: SessionError? {
        guard isFull else { return nil }
        let message = "the sessions of the server keep \(maximum) bytes; try again when some have ended"
        return .limitExceeded(limit: "keptBytes", message: message)
    }
}

// What a session holds while nobody sees it.
extension KeptBytes {
    /// Counts the arguments that the view model of a session was made with.
    package static func note(argumentBytes: Int, of session: Session) {
        session.state.withLock { $0.takenBytes += argumentBytes }
    }

    /// Returns how many bytes a session holds at most, with everything on or over it: what it keeps for clients, and what its
    /// view model was given.
    ///
    /// A small session counts as holding nothing, as thousands may be left at once, when a proxy restarts, and come back.
    package static func held(by session: Session) -> Int {
        (session.scene?.standing(on: session) ?? [session]).reduce(0) { sum, session in
            sum + max(0, session.state.withLock { $0.feed.countedBytes + $0.takenBytes } - step)
        }
    }
}

// Events and snapshots of a view model that are longer than a message.
extension Session {
    /// Reports an event that is too long. It isn't sent, and takes no number.
    func refuse(eventOf byteCount: Int, key: String?) {
        refuse("sent an event of \(byteCount) bytes, which is dropped")
        miss(eventWithKey: key)
    }

    func refusal(ofSnapshot byteCount: Int) -> ModelSnapshot {
        refuse("made a snapshot of \(byteCount) bytes")
        return .none(reason: "it made one of \(byteCount) bytes, more than a message has (\(limits.messageBytes))")
    }

    private func refuse(_ deed: String) {
        let message = "\(viewModelName) \(deed): a message has at most \(limits.messageBytes) bytes (messageBytes)"
        context.warn(message)
        context.onExceed("messageBytes")
        report(message)
    }
}
