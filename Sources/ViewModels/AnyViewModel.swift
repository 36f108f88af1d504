/// Any view model with these two event types. A View that holds one needn't name the concrete type.
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
/// It retains the view model that it erases. That view model is started once, however many erasures of it there are and
/// however many Views bind them. Any task may call any member.
public final class AnyViewModel<ViewModelEvent: Sendable, ViewEvent: Sendable>: ViewModel {
    /// The erased view model. It may be called directly, which saves an asynchronous call for each event.
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

    /// Whether the view model's `output` is the same object each time. Where it isn't, nobody gets what the view model sends.
    package var hasOneOutput: Bool { base.output === output }

    /// The view model's adapter, where each of its events is a whole state; nil for other view models.
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

/// An adapter of a view model's events that can go on in a later life, after the session came back from a store.
protocol ResumableEvents: AnyObject, Sendable {
    /// Subscribes to the view model, and sends its restored state.
    ///
    /// Called before anybody has subscribed, so these events reach nobody: the Views have had them in an earlier life.
    func prepareToResume() async throws

    /// Calls the view model's own `resume()`.
    func resume() async throws
}

extension AnyViewModel {
    /// Prepares a restored view model. Called in the place of `start()` in every life but the first, before anybody subscribes.
    ///
    /// - Throws: `PropertyError`.
    package func prepareToResume() async throws {
        _ = output.claimStart()
        try await (base as? any ResumableEvents)?.prepareToResume()
    }

    /// Calls the view model's own `resume()`. Called last, after `prepareToResume()`.
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
    /// Connects the Views that the view model has of others with those that its container resolves. A session connects them
    /// itself.
    func connectShared() async throws {
        guard PropertyNames.found(in: type(of: base)).contains(.shared) else { return }
        for shared in PropertyNames.shared(in: base) { try await shared.connectLocally() }
    }
}

extension AnyViewModel {
    /// How often a snapshot is attempted, as events that are sent meanwhile put it out of date. Enough for a view model that
    /// others disturb now and then.
    private static var snapshotAttempts: Int { 1_000 }

    /// Makes a snapshot and has `place` called with it in its turn among the events: the snapshot includes the events
    /// that every handler has had by then, and all others come after it.
    ///
    /// - Parameter place: called once, on the thread that delivers, unless this throws. It must not block.
    /// - Throws: the error of `snapshot()`, `OutdatedSnapshot`, or `CancellationError`.
    package func placeSnapshot(_ place: @escaping @Sendable ([ViewModelEvent]) -> Void) async throws {
        try await placeSnapshot(place, in: base as? any Actor)
    }

    /// Places a snapshot in the actor's own isolation: where `snapshot()` doesn't await, no event of the actor comes between.
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

/// The error of a view model that makes no snapshot of its own.
package struct NoSnapshot: Error {}

/// The error of a view model that sent events during each attempt at a snapshot.
package struct OutdatedSnapshot: Error, CustomStringConvertible {
    fileprivate let attempts: Int

    package var description: String { "it sent events during each of \(attempts) snapshots" }
}
