import Sessions
import Synchronization
import Transport

/// The store of a server with `--isolate`, shared among the processes of its clients. Each scene is in one process at a time.
///
/// A process may end at any moment. What the server has received from it by then is stored, and the next process goes on from
/// there.
///
/// A scene is released while the lock is held, so that the journal hears of that before another process asks for the scene.
///
/// Any thread may call it.
final class ProcessStores: Sendable {
    typealias Process = Int

    /// The way by which a process is sent answers, on any thread.
    struct Channel: Sendable {
        /// The process, for people.
        let description: String
        /// The principal whose clients the process has; nil for a client without one.
        var principal: String? = nil
        let send: @Sendable (StoreAnswer) -> Void
    }

    private struct Load {
        let query: StoreQuery
        let process: Process
        let then: @Sendable (Result<StoredScene?, StoreError>) -> Void
    }

    private struct State {
        var places = ScenePlaces<Process>()
        var channels: [Process: Channel] = [:]
        /// The loads that wait. One runs at a time: until a scene is read, nobody knows which scene a key belongs to.
        var loads: [Load] = []
        var isLoading = false
        var lastProcess = 0
        var fatal = FatalEvents()
    }

    let journal: any SessionJournal
    private let state = Mutex(State())

    init(_ journal: any SessionJournal) {
        self.journal = journal
    }

    /// Begins to tell processes of lapses of the store. Called once, as a journal has one such action.
    func watchLapses() {
        journal.whenLapsed { [weak self] in
            for channel in self?.state.withLock({ Array($0.channels.values) }) ?? [] { channel.send(.lapsed) }
        }
    }

    func newProcess() -> Process {
        state.withLock { state in
            state.lastProcess += 1
            return state.lastProcess
        }
    }

    func hadScenes(_ process: Process) -> Bool { state.withLock { $0.places.hadScenes(process) } }

    /// Adds a process and the channel to it; `remove(_:)` must follow.
    func add(_ process: Process, _ channel: Channel) {
        state.withLock { state in
            state.places.add(process)
            state.channels[process] = channel
        }
    }

    /// Removes a process that has ended. What it has committed is stored before another process can have its scenes.
    ///
    /// - Returns: whether it ever had scenes, which can go on in another process.
    func remove(_ process: Process) -> Bool {
        state.withLock { state in
            state.channels[process] = nil
            defer { for life in state.places.leave(process, isGone: true) { journal.release(scene: life) } }
            return state.places.hadScenes(process)
        }
    }

    /// Notes the event in whose handler a process has crashed, as the process says at its end.
    func didCrash(_ process: Process, in last: LastEvent) {
        state.withLock { state in
            guard state.places.has(process, session: last.lastEvent.session), last.lastEvent.number > 0 else { return }
            state.fatal.note(last.lastEvent, last.cause)
        }
    }

    /// Handles a request of a process.
    ///
    /// - Parameter then: called once, on any thread, in the order of the requests for each scene.
    func take(_ request: StoreRequest, of process: Process, _ then: @escaping @Sendable (StoreAnswer) -> Void) {
        switch request {
        case .commit(let number, let life, let scene, let changes):
            let known = state.withLock { $0.places.willCommit(changes, of: scene, life, by: process) }
            guard let (known, own, endsScene) = known else {
                return then(.stored(number: number, .lost("the scene has left this process")))
            }
            journal.commit(scene: known, changes: own) { [self] outcome in
                state.withLock { $0.places.didCommit(known, outcome, endsScene: endsScene) }
                then(.stored(number: number, outcome))
            }
        case .release(let life, let scene):
            state.withLock { state in
                if let known = state.places.release(scene, life, by: process) { journal.release(scene: known) }
            }
        case .load(let number, let query):
            let load = Load(query: query, process: process) { then(.loaded(number: number, $0)) }
            state.withLock { $0.loads.append(load) }
            loadNext()
        case .list(let number, let filter):
            guard state.withLock({ $0.channels[process]?.mayList(filter) == true }) else {
                return then(.listed(number: number, .failure(.unusable("the process asks for sessions of others"))))
            }
            journal.list(filter) { [self] result in
                then(.listed(number: number, result.map { scenes in scenes.compactMap { placed($0, for: process) } }))
            }
        case .leave:
            state.withLock { state in
                for life in state.places.leave(process, isGone: false) { journal.release(scene: life) }
            }
        }
    }

    /// Returns a stored scene with the process that has it, unless that is the one that asks; nil for one that ends.
    private func placed(_ scene: ListedScene, for process: Process) -> ListedScene? {
        var scene = scene
        let root = scene.header.key
        return state.withLock { state in
            if state.places.isEnding(root) { return nil }
            if let (holder, _) = Self.holder(of: .session(key: root), otherThan: process, state) {
                scene.holder = holder
            } else if state.places.has(process, root) || scene.holder?.server == journal.holder?.server {
                scene.holder = nil
            }
            return scene
        }
    }

    private func loadNext() {
        while true {
            let next = state.withLock { state -> (load: Load, known: StoreError?, wanted: (() -> Void)?)? in
                guard !state.isLoading, !state.loads.isEmpty else { return nil }
                let load = state.loads.removeFirst()
                if let (holder, ask) = Self.holder(of: load.query, otherThan: load.process, state) {
                    return (load, .held(holder), ask)
                }
                if case .owner(let scene) = load.query, !state.places.has(load.process, scene) {
                    return (load, .lost("the scene has left this process"), nil)
                }
                state.isLoading = true
                return (load, nil, nil)
            }
            guard let (load, known, wanted) = next else { return }
            if let known {
                wanted?()
                load.then(.failure(known))
                continue
            }
            journal.load(load.query) { [self] result in didLoad(load, result) }
            return
        }
    }

    private func didLoad(_ load: Load, _ result: Result<StoredScene?, StoreError>) {
        guard case .success(var scene?) = result else { return end(load, result) }
        let root = scene.header.key
        // Another process may have added the scene while it was read.
        if let (holder, ask) = state.withLock({ Self.holder(of: .session(key: root), otherThan: load.process, $0) }) {
            ask()
            return end(load, .failure(.held(holder)))
        }
        let (isWanted, changes) = state.withLock { state in
            // A scene that the process has already was read again: the process's own state counts.
            let isNew = !state.places.has(load.process, root)
            let isWanted = state.places.didRead(scene, for: load.process)
            return (isWanted, isWanted && isNew ? state.fatal.settle(&scene) : [])
        }
        let life = SceneLife(root)
        if !isWanted { journal.release(scene: life) }
        guard !changes.isEmpty else { return end(load, .success(scene)) }
        journal.commit(scene: life, changes: changes) { [self, scene] outcome in
            switch outcome {
            case .stored: end(load, .success(scene))
            case .refused(let reason):
                giveUp(load, root)
                end(load, .failure(.unusable(reason)))
            case .lost(let reason):
                giveUp(load, root)
                end(load, .failure(.lost(reason)))
            }
        }
    }

    private func giveUp(_ load: Load, _ root: String) {
        state.withLock { state in
            state.places.didNotGive(root, to: load.process)
            journal.release(scene: SceneLife(root))
        }
    }

    /// Returns the other process that has the scene of a query, and a function that asks that process to give it up.
    private static func holder(
        of query: StoreQuery, otherThan process: Process, _ state: State
    ) -> (holder: SceneHolder, ask: () -> Void)? {
        guard let place = state.places.place(of: query, otherThan: process) else { return nil }
        let channel = state.channels[place.process]
        let description = channel?.description ?? "a process of another client"
        let holder = SceneHolder(server: "process", address: nil, description: description)
        return (holder, { channel?.send(.wanted(scene: place.scene)) })
    }

    private func end(_ load: Load, _ result: Result<StoredScene?, StoreError>) {
        state.withLock { $0.isLoading = false }
        load.then(result)
        loadNext()
    }
}

extension ProcessStores.Channel {
    /// Whether the scenes are those of the process's own client. A process of a client without a principal may ask for all that
    /// no principal has, as such clients aren't told apart.
    fileprivate func mayList(_ filter: SceneFilter) -> Bool {
        let names = filter.owners + (filter.person.map { [$0] } ?? [])
        return names.allSatisfy { Owner.principal(of: $0) == principal }
    }
}

/// The server's end of the channel by which a process reaches the store. Confined to the stream's loop.
final class StoreChannel: ByteStreamHandler {
    /// The time between two looks whether the store works.
    private static let interval = Duration.milliseconds(500)

    private let stream: LinkStream
    private let stores: ProcessStores
    private let child: IsolatedChild
    private var failure: StoreError?
    private var isClosed = false

    private let process: ProcessStores.Process

    private init(
        _ stream: LinkStream, of child: IsolatedChild, _ process: ProcessStores.Process, _ stores: ProcessStores
    ) {
        (self.stream, self.child, self.process, self.stores) = (stream, child, process, stores)
    }

    /// Opens the channel by which a process reaches the store. Called on the loop, before the process has any client.
    static func open(to child: IsolatedChild, _ stores: ProcessStores, _ limits: Limits, on loop: EventLoop) {
        guard let process = child.storeProcess else { return }
        let hello = StoreChannelHello(leaseTime: stores.journal.leaseTime)
        let stream = child.link.openChannel(payload: hello.payload, on: loop, peer: child.link.peerDescription)
        // A process has no room to make a longer message.
        stream.messageBytes = limits.isolatedBytes
        StoreChannel(stream, of: child, process, stores).begin()
    }

    private func begin() {
        stores.add(
            process,
            .init(
                description: "process \(child.process.processID) of another client",
                principal: Owner.principal(of: child.client), send: sender))
        stream.handler = self
        stream.start()
        watchStore()
    }

    /// Returns a function that sends an answer, for any thread.
    private var sender: @Sendable (StoreAnswer) -> Void {
        { [bound = LoopBound(self, loop: stream.loop), loop = stream.loop] answer in
            let message = answer.message
            loop.execute {
                // A failure comes before the answer: nothing else tells that another server has taken the store over.
                bound.value.noteFailure()
                bound.value.write(message)
            }
        }
    }

    private func noteFailure() {
        let now = stores.journal.failure
        guard now != failure else { return }
        failure = now
        write(StoreAnswer.failure(now).message)
    }

    private func watchStore() {
        guard !isClosed else { return }
        noteFailure()
        stream.loop.schedule(after: Self.interval) { [bound = LoopBound(self, loop: stream.loop)] in
            bound.value.watchStore()
        }
    }

    private func write(_ message: [UInt8]) {
        guard !isClosed else { return }
        stream.write { $0.append(contentsOf: message) }
    }

    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        guard let request = try? StoreRequest(message: bytes) else {
            return child.kill("it sent something to the store that is no request")
        }
        stores.take(request, of: process, sender)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        stream.finish()
    }

    func streamDidSend(_ stream: any ByteStream) {}

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        isClosed = true
    }
}
