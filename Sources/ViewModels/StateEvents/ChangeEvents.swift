import Synchronization

/// An adapter that makes a `ViewModel` of a `NotifyingViewModel`. It sends the state at the start, and after each change
/// that the view model notifies of.
///
/// It retains the view model, which doesn't retain it.
package final class ChangeEvents<Model: NotifyingViewModel>: ViewModel, ResumableEvents {
    package typealias ViewModelEvent = ChangeEvent<Model.State>
    package typealias ViewEvent = Model.ViewEvent

    private struct State {
        var reads = ChangeReads()
        /// The last event that was sent.
        var newest: ViewModelEvent?
        var subscription: Subscription?
    }

    package let output = Output<ViewModelEvent>()
    private let model: Model
    private let state = Mutex(State())

    package init(_ model: Model) {
        self.model = model
    }

    /// Starts the view model. Returns when the state has been sent, and every change of the view model's own `start()`.
    ///
    /// - Throws: the error of the view model's own `start()`.
    package func start() async throws {
        await sendChanges(upTo: follow())
        try await sendingChanges { try await model.start() }
    }

    /// Sends the state before anybody has subscribed, so that `snapshot()` has it and later changes count from it.
    package func prepareToResume() async {
        await sendChanges(upTo: follow())
        await output.settle()
    }

    /// Resumes the view model. Returns when every change of its own `resume()` has been sent.
    ///
    /// - Throws: the error of the view model's own `resume()`.
    package func resume() async throws {
        guard let model = model as? any DurableViewModel else { return }
        try await sendingChanges { try await model.resume() }
    }

    /// Calls the view model's own hook. Returns when every change that it makes has been sent.
    package func viewsDidAppear() async { await sendingChanges { await model.viewsDidAppear() } }

    /// Calls the view model's own hook. Returns when every change that it makes has been sent.
    package func viewsDidDisappear() async { await sendingChanges { await model.viewsDidDisappear() } }

    package func stop() async { await model.stop() }

    /// Has the view model handle an event. Returns when every change that its handler has made has been sent.
    ///
    /// - Throws: the error of the view model's own `handle(event:)`.
    package func handle(event: ViewEvent) async throws {
        try await sendingChanges { try await model.handle(event: event) }
    }

    /// Returns the last event that was sent, which is the state that up-to-date Views show; empty before the first.
    package func snapshot() -> [ViewModelEvent] {
        state.withLock { $0.newest }.map { [$0] } ?? []
    }
}

/// A sender of events each of which is a whole state.
package protocol StateEvents: AnyObject, Sendable {
    /// Returns the last event that was sent, and an event of the present state; nil where none was sent.
    func lastAndNow() async -> (any Sendable, any Sendable)?
}

extension ChangeEvents: PresenceViewModel where Model: PresenceViewModel {
    /// Calls the view model's own hook. Returns when every change that it makes has been sent.
    package func viewersDidChange(_ viewers: [Client]) async {
        await sendingChanges { await model.viewersDidChange(viewers) }
    }
}

extension ChangeEvents: StateEvents {
    package func lastAndNow() async -> (any Sendable, any Sendable)? {
        guard let last = state.withLock({ $0.newest }) else { return nil }
        return (last, ViewModelEvent(state: await model.state))
    }
}

extension ChangeEvents {
    /// Subscribes to the view model.
    ///
    /// - Returns: the number of a first change, so that the state is sent even if it hasn't changed.
    func follow() -> Int {
        let subscription = model.changed.output.subscribe { [weak self] in self?.noteChange() }
        return state.withLock { state in
            state.subscription = subscription
            return state.reads.noteFirst()
        }
    }

    private func sendingChanges<Failure: Error>(_ body: () async throws(Failure) -> Void) async throws(Failure) {
        let result: Result<Void, Failure>
        do throws(Failure) {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        // Where another thread raises at the same time, it may be the one that still delivers this handler's changes.
        await model.changed.output.settle()
        await sendChanges(upTo: state.withLock { $0.reads.noted })
        await output.settle()
        try result.get()
    }

    private func noteChange() {
        guard state.withLock({ $0.reads.note() }) else { return }
        // Read in the view model's isolation, once that is free: everything raised until then is one change. A view
        // model that isn't an actor is most often on the main actor.
        let isolation: any Actor = model as? any Actor ?? MainActor.shared
        // On the executor of the handler that raises, and so after it: elsewhere it would run at the same time, and the
        // handler would have to wait for it. Detached, since it sends the changes of others too.
        let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
        Task.detached(executorPreference: executor) { [this = Weak(self)] in
            await Self.sendScheduled(in: isolation, of: this)
        }
    }

    private static func sendScheduled(in isolation: isolated any Actor, of this: Weak<ChangeEvents>) async {
        // The adapter is kept alive only from here on.
        guard let this = this.value else { return }
        let noted = this.state.withLock { state in
            state.reads.beginScheduled()
            return state.reads.noted
        }
        await this.sendChanges(upTo: noted)
    }

    private func sendChanges(upTo change: Int) async {
        while true {
            switch state.withLock({ $0.reads.next(upTo: change) }) {
            case .done: return
            case .read(let noted): send(ViewModelEvent(state: await model.state), noted)
            case .wait: await readIsDone()
            }
        }
    }

    private func send(_ event: ViewModelEvent, _ noted: Int) {
        let (waiting, old) = state.withLock { state in
            let old = state.newest
            state.newest = event
            // Under the lock, so that events come in the order of the reads, and a snapshot agrees with it.
            output.enqueue(event)
            return (state.reads.finish(noted), old)
        }
        output.deliverPending()
        for continuation in waiting { continuation.resume() }
        // The old state is released with no lock held: its end may notify.
        withExtendedLifetime(old) {}
    }

    private func readIsDone() async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { $0.reads.wait(continuation) }
            if !waits { continuation.resume() }
        }
    }
}

/// The changes of a view model, and which of them have been sent. Pure rules; `ChangeEvents` guards them.
///
/// There is one read at a time: of two, the earlier one might end later, and an old state would be sent last.
struct ChangeReads {
    enum Step {
        /// The changes have been sent.
        case done
        /// The caller must read the state, and pass this number to `finish(_:)`.
        case read(Int)
        /// Another read is under way; the caller asks again when that is done.
        case wait
    }

    /// The number of the newest change.
    private(set) var noted = 0
    private var sent = 0
    private var isReading = false
    private var isScheduled = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Notes a change.
    ///
    /// - Returns: whether the caller must schedule a read.
    mutating func note() -> Bool {
        noted += 1
        defer { isScheduled = true }
        return !isScheduled
    }

    /// Notes a change that the caller sends itself.
    mutating func noteFirst() -> Int {
        noted += 1
        return noted
    }

    /// Notes that the scheduled read begins: a later change needs another one.
    mutating func beginScheduled() {
        isScheduled = false
    }

    /// Returns the next step towards having sent all changes up to `change`.
    mutating func next(upTo change: Int) -> Step {
        if sent >= change { return .done }
        if isReading { return .wait }
        isReading = true
        return .read(noted)
    }

    /// Ends a read.
    ///
    /// - Returns: the callers that wait for the read, to be resumed with no lock held.
    mutating func finish(_ change: Int) -> [CheckedContinuation<Void, Never>] {
        sent = change
        isReading = false
        defer { waiting = [] }
        return waiting
    }

    /// Waits for the read that is under way.
    ///
    /// - Returns: false when no read is under way any more, and the caller needn't wait.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        if isReading { waiting.append(continuation) }
        return isReading
    }
}
