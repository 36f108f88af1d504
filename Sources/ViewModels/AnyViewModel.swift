/// Any view model with these two event types: what a View keeps, so that it needn't name a concrete one.
///
/// It keeps the view model that it erases. `start()` starts that one once, however many erasures of it there are and
/// however many Views bind.
public final class AnyViewModel<ViewModelEvent: Sendable, ViewEvent: Sendable>: ViewModel {
    let base: any ViewModel<ViewModelEvent, ViewEvent>

    /// The erased view model's own output.
    public let output: Output<ViewModelEvent>

    /// Erases all of `viewModel` but its event types.
    public init<Model: ViewModel>(_ viewModel: Model)
    where Model.ViewModelEvent == ViewModelEvent, Model.ViewEvent == ViewEvent {
        // What is erased twice has one output and so one start: the outer must start the view model, not the inner erasure.
        base = (viewModel as? AnyViewModel)?.base ?? viewModel
        output = viewModel.output
    }

    /// The erased view model, where it is an actor.
    package var isolation: (any Actor)? { base as? any Actor }

    /// Starts the erased view model, the first time; later calls return at once, also while the first still runs.
    public func start() async throws {
        guard output.claimStart() else { return }
        try await base.start()
    }

    /// Runs in the erased view model's own isolation.
    public func handle(event: ViewEvent) async throws {
        try await base.handle(event: event)
    }

    /// The erased view model's own, made in its isolation.
    public func snapshot() async throws -> [ViewModelEvent] {
        try await base.snapshot()
    }
}
