package import Sessions
import Synchronization
package import Transport

/// The journal of a process that has the sessions of one client of a server with `--isolate`. The server has the store; the
/// journal reaches it over a channel.
///
/// Requests that are made before the server has opened the channel wait for it. Any thread may call the journal.
package final class ProcessJournal: SessionJournal {
    private struct State {
        var channel: LoopBound<ProcessStoreChannel>?
        var outgoing: [[UInt8]] = []
        var isSending = false
        var lastNumber = 0
        var commits: [Int: StoreCompletion] = [:]
        var loads: [Int: @Sendable (Result<StoredScene?, StoreError>) -> Void] = [:]
        var lists: [Int: @Sendable (Result<[ListedScene], StoreError>) -> Void] = [:]
        var failure: StoreError?
        var leaseTime = Duration.zero
        var onLapse: @Sendable () -> Void = {}
        var onWanted: @Sendable (_ scene: String) -> Void = { _ in }
        /// Called once, when no commit waits for its outcome any more.
        var onFinish: (@Sendable () -> Void)?
        /// Whether the channel to the server is lost for good.
        var isOver = false

        mutating func takeFinish() -> (@Sendable () -> Void)? {
            guard commits.isEmpty || isOver else { return nil }
            defer { onFinish = nil }
            return onFinish
        }
    }

    private let loop: EventLoop
    private let now: @Sendable () -> Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - loop: runs the channel to the server, so no view model may run on it.
    ///   - now: the time in seconds since 1970.
    package init(on loop: EventLoop, now: @escaping @Sendable () -> Int64 = { ThisProcess.secondsSince1970 }) {
        self.loop = loop
        self.now = now
    }

    package var failure: StoreError? { state.withLock { $0.failure } }
    package var leaseTime: Duration { state.withLock { $0.leaseTime } }
    package var time: Int64 { now() }
    /// Empty, as the server counts for all processes.
    package var counts: StoreCounts { StoreCounts() }

    package func commit(scene: SceneLife, changes: [StoredChange], then: @escaping StoreCompletion) {
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.lastNumber += 1
            state.commits[state.lastNumber] = then
            return state.lastNumber
        }
        guard let number else { return then(.lost(Self.overReason)) }
        send(.commit(number: number, life: scene.number, scene: scene.key, changes: changes))
    }

    package func release(scene: SceneLife) {
        send(.release(life: scene.number, scene: scene.key))
    }

    package func load(_ query: StoreQuery, then: @escaping @Sendable (Result<StoredScene?, StoreError>) -> Void) {
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.lastNumber += 1
            state.loads[state.lastNumber] = then
            return state.lastNumber
        }
        guard let number else { return then(.failure(.unavailable(Self.overReason))) }
        send(.load(number: number, query: query))
    }

    package func list(_ filter: SceneFilter, then: @escaping @Sendable (Result<[ListedScene], StoreError>) -> Void) {
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.lastNumber += 1
            state.lists[state.lastNumber] = then
            return state.lastNumber
        }
        guard let number else { return then(.failure(.unavailable(Self.overReason))) }
        send(.list(number: number, filter: filter))
    }

    package func leave() {
        send(.leave)
    }

    package func whenLapsed(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onLapse = action }
    }

    /// Sets the action for scenes that other processes want.
    ///
    /// - Parameter action: called with the root's key when another process asks for a scene that this process has.
    func whenWanted(_ action: @escaping @Sendable (_ scene: String) -> Void) {
        state.withLock { $0.onWanted = action }
    }

    /// Does nothing: the server removes unused sessions.
    package func sweep(unusedFor time: Duration) {}

    /// Returns when the server has stored everything that was committed before, or is gone.
    func finish() async {
        await withCheckedContinuation { continuation in
            let finish = state.withLock { state in
                state.onFinish = { continuation.resume() }
                return state.takeFinish()
            }
            finish?()
        }
    }

    private static let overReason = "the server of this process is gone"

    private func send(_ request: StoreRequest) {
        let message = request.message
        let channel = state.withLock { state -> LoopBound<ProcessStoreChannel>? in
            guard !state.isOver else { return nil }
            state.outgoing.append(message)
            guard !state.isSending, let channel = state.channel else { return nil }
            state.isSending = true
            return channel
        }
        if let channel { loop.execute { channel.value.sendWaiting() } }
    }
}

// For the channel, on the loop.
extension ProcessJournal {
    /// Takes the channel that the server has opened for its store. Called on the link's loop.
    ///
    /// - Parameter makeStream: see `Link`.
    func open(_ hello: StoreChannelHello, _ makeStream: Link.MakeStream) {
        let stream = LoopBound(makeStream(loop, "the server's store"), loop: loop)
        state.withLock { $0.leaseTime = hello.leaseTime }
        loop.execute { [self] in
            let channel = ProcessStoreChannel(stream.value, self)
            state.withLock { state in
                state.channel = LoopBound(channel, loop: loop)
                state.isSending = true
            }
            channel.begin()
        }
    }

    fileprivate func takeWaiting() -> [[UInt8]] {
        state.withLock { state in
            state.isSending = false
            defer { state.outgoing = [] }
            return state.outgoing
        }
    }

    fileprivate func take(_ answer: StoreAnswer) {
        switch answer {
        case .stored(let number, let outcome):
            let (then, finish) = state.withLock { state in
                (state.commits.removeValue(forKey: number), state.takeFinish())
            }
            then?(outcome)
            finish?()
        case .loaded(let number, let result): state.withLock { $0.loads.removeValue(forKey: number) }?(result)
        case .listed(let number, let result): state.withLock { $0.lists.removeValue(forKey: number) }?(result)
        case .failure(let failure): state.withLock { $0.failure = failure }
        case .lapsed: state.withLock { $0.onLapse }()
        case .wanted(let scene): state.withLock { $0.onWanted }(scene)
        }
    }

    fileprivate func didLose() {
        let (commits, loads, lists, finish) = state.withLock { state in
            state.isOver = true
            state.failure = .unavailable(Self.overReason)
            (state.channel, state.outgoing) = (nil, [])
            defer { (state.commits, state.loads, state.lists) = ([:], [:], [:]) }
            return (state.commits, state.loads, state.lists, state.takeFinish())
        }
        for (_, then) in commits.sorted(by: { $0.key < $1.key }) { then(.lost(Self.overReason)) }
        for (_, then) in loads.sorted(by: { $0.key < $1.key }) { then(.failure(.unavailable(Self.overReason))) }
        for (_, then) in lists.sorted(by: { $0.key < $1.key }) { then(.failure(.unavailable(Self.overReason))) }
        finish?()
    }
}

/// The process's end of the channel. Confined to the journal's loop.
private final class ProcessStoreChannel: ByteStreamHandler {
    private let stream: LinkStream
    private let journal: ProcessJournal

    init(_ stream: LinkStream, _ journal: ProcessJournal) {
        (self.stream, self.journal) = (stream, journal)
        // The server is trusted, and a scene may be long.
        stream.messageBytes = 1 << 40
    }

    func begin() {
        stream.handler = self
        stream.start()
        sendWaiting()
    }

    func sendWaiting() {
        for message in journal.takeWaiting() { stream.write { $0.append(contentsOf: message) } }
    }

    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        // The server is this very executable, so a malformed answer is a fault.
        guard let answer = try? StoreAnswer(message: bytes) else { return stream.close() }
        journal.take(answer)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        stream.finish()
    }

    func streamDidSend(_ stream: any ByteStream) {}

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        journal.didLose()
    }
}
