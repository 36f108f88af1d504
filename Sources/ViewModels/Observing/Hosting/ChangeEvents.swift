import Synchronization

/// A `NotifyingViewModel` as a `ViewModel`, so that it is hosted as any other is: sends its state first, and again after it
/// has notified.
///
/// It keeps the view model, which doesn't keep it.
package final class ChangeEvents<Model: NotifyingViewModel>: ViewModel {
    package typealias ViewModelEvent = ChangeEvent<Model.State>
    package typealias ViewEvent = Model.ViewEvent

    private struct State {
        var reads = ChangeReads()
        /// What was sent last.
        var newest: ViewModelEvent?
        var subscription: Subscription?
    }

    package let output = Output<ViewModelEvent>()
    private let model: Model
    private let state = Mutex(State())

    package init(_ model: Model) {
        self.model = model
    }

    /// Returns when the state, and all that the view model's own `start()` changed, has been sent.
    package func start() async throws {
        await sendChanges(upTo: follow())
        try await sendingChanges { try await model.start() }
    }

    /// Returns when all that the view model has changed in it has been sent.
    package func handle(event: ViewEvent) async throws {
        try await sendingChanges { try await model.handle(event: event) }
    }

    /// The state as it was sent last, which is where the Views are that know everything.
    package func snapshot() -> [ViewModelEvent] {
        state.withLock { $0.newest }.map { [$0] } ?? []
    }
}

extension ChangeEvents {
    /// Listens to the view model from now on.
    ///
    /// - Returns: a change that the first read has to send: there is something to show even if nothing has changed.
    func follow() -> Int {
        let subscription = model.changed.output.subscribe { [weak self] in self?.noteChange() }
        return state.withLock { state in
            state.subscription = subscription
            return state.reads.noteFirst()
        }
    }

    private func sendingChanges(_ body: () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        // Where another thread raises, it may be the one that has yet to tell of what was raised here.
        await model.changed.output.settle()
        await sendChanges(upTo: state.withLock { $0.reads.noted })
        await output.settle()
        try result.get()
    }

    private func noteChange() {
        guard state.withLock({ $0.reads.note() }) else { return }
        // Read where the view model is isolated, once that is free: what is raised until then is one change. A view model
        // that is no actor is most often the main actor's.
        let isolation: any Actor = model as? any Actor ?? MainActor.shared
        // On the executor of who raises, behind the handler that does: elsewhere it would get in that one's way, and a
        // handler that needn't wait would. Detached, since it sends the changes of others too.
        let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
        Task.detached(executorPreference: executor) { [this = Weak(self)] in
            await Self.sendScheduled(in: isolation, of: this)
        }
    }

    private static func sendScheduled(in isolation: isolated any Actor, of this: Weak<ChangeEvents>) async {
        // Held only from here on.
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
            // In the order in which they are read, and together with what a snapshot says.
            output.enqueue(event)
            return (state.reads.finish(noted), old)
        }
        output.deliverPending()
        for continuation in waiting { continuation.resume() }
        // The old state is let go of outside the lock: its end may notify.
        withExtendedLifetime(old) {}
    }

    private func readIsDone() async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { $0.reads.wait(continuation) }
            if !waits { continuation.resume() }
        }
    }
}
