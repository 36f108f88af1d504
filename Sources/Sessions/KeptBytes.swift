import JSON
import Synchronization

/// The memory that the sessions of a server keep for their clients: events, snapshots, and a share for each session itself.
///
/// Sessions count what they keep as it grows, in steps of `step` bytes, so that a small event costs nothing here. Any
/// thread may use it, with any lock held.
package final class KeptBytes: Sendable {
    /// A session counts its log anew when that has grown or shrunk by so much.
    static let step = 4 << 10
    /// The share of a session that keeps nothing.
    static let sessionBytes = 4 << 10

    package let maximum: Int
    private let count = Atomic<Int>(0)
    private let isMakingRoom = Atomic<Bool>(false)
    private let makeRoom = Mutex<(executor: any TaskExecutor, call: @Sendable () -> Void)?>(nil)

    package init(maximum: Int = .max) {
        self.maximum = maximum
    }

    /// - Parameters:
    ///   - executor: runs the call.
    ///   - makeRoom: called when more than `maximum` is kept, in a task of its own, and not again before it has returned.
    package func whenFull(on executor: any TaskExecutor, _ makeRoom: @escaping @Sendable () -> Void) {
        self.makeRoom.withLock { $0 = (executor, makeRoom) }
    }

    /// The bytes that are kept now.
    package var bytes: Int { count.load(ordering: .relaxed) }

    /// More is kept than may be. Sessions then keep only what their views have yet to see.
    package var isFull: Bool { bytes > maximum }

    /// - Parameter change: of the bytes that are kept; negative where they became fewer.
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

    /// A text that is counted for as long as anybody holds it.
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
    /// The view model of a session was made with arguments of so many bytes.
    package static func note(argumentBytes: Int, of session: Session) {
        session.state.withLock { $0.takenBytes += argumentBytes }
    }

    /// The most that a session holds, with everything on or over it: what it keeps for clients, and what its view model was
    /// given.
    ///
    /// A small session holds nothing by this count: thousands may be left at once, when a proxy restarts, and come back.
    package static func held(by session: Session) -> Int {
        (session.scene?.standing(on: session) ?? [session]).reduce(0) { sum, session in
            sum + max(0, session.state.withLock { $0.feed.countedBytes + $0.takenBytes } - step)
        }
    }
}

// What a view model makes that is longer than a message.
extension Session {
    /// An event of so many bytes isn't sent, and takes no number.
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
