/// Any view model with these two event types: a View keeps one, so that it needn't name a concrete type.
///
/// ```swift
/// final class HelloScreen {
///     let viewModel: AnyViewModel<HelloViewModel.ViewModelEvent, HelloViewModel.ViewEvent>
///
///     init(_ viewModel: some ViewModel<HelloViewModel.ViewModelEvent, HelloViewModel.ViewEvent>) {
///         self.viewModel = AnyViewModel(viewModel)
///     }
/// }
/// ```
///
/// It keeps the view model that it erases. That view model is started once, however many erasures of it there are and
/// however many Views bind them. Any task may call any member.
public final class AnyViewModel<ViewModelEvent: Sendable, ViewEvent: Sendable>: ViewModel {
    /// The erased view model. May be called directly, for one asynchronous call less on the way of each event.
    package let base: any ViewModel<ViewModelEvent, ViewEvent>

    /// The erased view model's own output.
    public let output: Output<ViewModelEvent>

    /// Wraps a view model and hides its type; only the types of its events stay. An `AnyViewModel` may be wrapped
    /// again.
    public init<Model: ViewModel>(_ viewModel: Model)
    where Model.ViewModelEvent == ViewModelEvent, Model.ViewEvent == ViewEvent {
        // An erasure of an erasure shares its output and so its one start: it must start the view model, not the
        // inner erasure.
        base = (viewModel as? AnyViewModel)?.base ?? viewModel
        output = viewModel.output
    }

    /// False where the view model makes another output for each that asks: nobody gets what it sends.
    package var hasOneOutput: Bool { base.output === output }

    /// The view model's events, where each is its whole state.
    package var stateEvents: (any StateEvents)? { base as? any StateEvents }

    /// The erased view model, where it is an actor.
    package var isolation: (any Actor)? { base as? any Actor }

    /// Starts the erased view model, the first time. Later calls do nothing and return at once, even while the first
    /// still runs or after it failed.
    ///
    /// - Throws: the error of the view model's `start()`, in the first call alone.
    public func start() async throws {
        guard output.claimStart() else { return }
        try await base.start()
        output.changeLife { $0.start() }
    }

    /// Handles an event, in the erased view model's own isolation.
    ///
    /// - Throws: the error of the view model's `handle(event:)`.
    public func handle(event: ViewEvent) async throws {
        try await base.handle(event: event)
    }

    /// Makes a snapshot, in the erased view model's own isolation.
    ///
    /// - Throws: the error of the view model's `snapshot()`.
    public func snapshot() async throws -> [ViewModelEvent] {
        try await base.snapshot()
    }

    /// Passes the call on to the erased view model, each time.
    public func viewsDidAppear() async { await base.viewsDidAppear() }

    /// Passes the call on to the erased view model, each time.
    public func viewsDidDisappear() async { await base.viewsDidDisappear() }

    /// Passes the call on to the erased view model, each time.
    public func stop() async { await base.stop() }
}

/// A view model's events in another form, in a life after the first.
protocol ResumableEvents: AnyObject, Sendable {
    /// Follows the view model. Called before anybody has subscribed, as the Views have what it sends.
    func prepareToResume() async throws

    /// Has the view model itself resume.
    func resume() async throws
}

extension AnyViewModel {
    /// Called in a life after the first, in place of `start()`: before anybody subscribes.
    ///
    /// - Throws: `PropertyError`.
    package func prepareToResume() async throws {
        _ = output.claimStart()
        try await (base as? any ResumableEvents)?.prepareToResume()
    }

    /// Called last.
    ///
    /// - Throws: the error of the view model's `resume()`.
    package func resume() async throws {
        if let events = base as? any ResumableEvents {
            try await events.resume()
        } else {
            try await (base as? any DurableViewModel)?.resume()
        }
        output.changeLife { $0.start() }
    }
}

extension AnyViewModel {
    /// How often a snapshot is made again because it was out of date: enough for a view model that others disturb now
    /// and then.
    private static var snapshotAttempts: Int { 1_000 }

    /// Makes a snapshot and has `place` called with it in its turn among the events: the snapshot includes the events
    /// that every handler has had by then, and all others come after it.
    ///
    /// - Parameter place: called once, on the thread that delivers, unless this throws. It must not block.
    /// - Throws: the error of `snapshot()`, `OutdatedSnapshot`, or `CancellationError`.
    package func placeSnapshot(_ place: @escaping @Sendable ([ViewModelEvent]) -> Void) async throws {
        try await placeSnapshot(place, in: base as? any Actor)
    }

    /// In the actor's own isolation, so that where `snapshot()` doesn't await, no event of the actor comes between.
    private func placeSnapshot(
        _ place: @escaping @Sendable ([ViewModelEvent]) -> Void, in isolation: isolated (any Actor)?
    ) async throws {
        for _ in 0..<Self.snapshotAttempts {
            try Task.checkCancellation()
            let sentBefore = output.sentCount
            let events = try await base.snapshot()
            if output.afterPending(ifSent: sentBefore, { place(events) }) { return }
        }
        throw OutdatedSnapshot(attempts: Self.snapshotAttempts)
    }
}

/// A view model makes no snapshot of its own.
package struct NoSnapshot: Error {}

/// A view model sent events during each of its snapshots.
package struct OutdatedSnapshot: Error, CustomStringConvertible {
    fileprivate let attempts: Int

    package var description: String { "it sent events during each of \(attempts) snapshots" }
}
