/// The half of MVVM that shows a view model's events and sends its own: a window, a cell, a script, or a
/// client elsewhere.
///
/// ```swift
/// @MainActor final class HelloView: View {
///     let output = Output<HelloViewModel.ViewEvent>()
///     private(set) var label = ""
///
///     func handle(event: HelloViewModel.ViewModelEvent) {
///         switch event {
///         case .helloText(let text): label = text
///         }
///     }
/// }
///
/// try await view.bind(with: HelloViewModel())
/// ```
public protocol View<ViewModelEvent, ViewEvent>: AnyObject, Sendable {
    /// The events that the view model sends to this View.
    associatedtype ViewModelEvent: Sendable
    /// The events that this View sends to the view model.
    associatedtype ViewEvent: Sendable

    /// Sends this View's events. It is one object for the whole life of the View, and also keeps the View's binding.
    var output: Output<ViewEvent> { get }

    /// Shows one event of the view model: the single point where the view model reaches this View.
    ///
    /// Called in the View's own isolation, for one event at a time, in the order in which they were sent.
    func handle(event: ViewModelEvent) async

    /// Called by `bind(with:)` once events can reach this View and before the view model starts. Does nothing unless
    /// implemented.
    ///
    /// This is the place to hand `viewModel` to the Views inside this one.
    func setupBindings() async

    /// Called in the View's own isolation when an event wasn't handled. Does nothing unless implemented.
    ///
    /// A View whose view model reports failures as events doesn't need it.
    ///
    /// - Parameters:
    ///   - failure: the error that the view model threw for `event`; `CancellationError` where a newer event took its
    ///     place (`ScheduledEvent`).
    ///   - event: the event that this View sent.
    func handle(failure: any Error, of event: ViewEvent) async

    /// Brings the view model's events to `handle(event:)`. Called by `bind(with:)`, which keeps the subscription.
    ///
    /// Unless implemented, events wait in a queue for this View's isolation, so that `Output.send(_:)` never waits for
    /// a View. Implement it only in a View that can take events on the thread that sends them.
    func subscribe(to output: Output<ViewModelEvent>) -> Subscription
}

extension View {
    /// Does nothing.
    public func setupBindings() {}

    /// Does nothing.
    public func handle(failure: any Error, of event: ViewEvent) {}

    /// Queues each event for this View's isolation. Cancelling the subscription drops the queued events, so that a View
    /// which is bound again gets none of its previous view model.
    public func subscribe(to output: Output<ViewModelEvent>) -> Subscription {
        let queue = EventQueue<ViewModelEvent> { [weak self] event in
            await self?.handle(event: event)
        }
        let handler = output.add(pace: queue) { queue.push($0) }
        return Subscription { [weak output] in
            output?.removeHandler(handler)
            queue.close()
        }
    }

    /// Connects this View to `viewModel`.
    ///
    /// First the View's `handle(event:)` is attached, then the view model's. Then `setupBindings()` and `start()` are
    /// called, so that no event that `start()` sends is missed. The View keeps the view model, as `viewModel`; the view
    /// model doesn't keep the View. Binding again ends the binding before. Several Views may bind one view model, which
    /// starts with the first of them.
    ///
    /// **Hooks.** `viewsDidAppear()` is called after `start()`, before this returns. `viewsDidDisappear()` is called
    /// soon after the last View was released or bound again, if anything else keeps the view model, such as a task of
    /// its own. Otherwise the view model is released with its last View, and its `deinit` is called instead. Here the
    /// two hooks may run beside a handler, and `stop()` isn't called.
    ///
    /// - Throws: the error of the view model's `start()`. The View is bound nevertheless.
    public func bind<Model: ViewModel>(with viewModel: Model) async throws
    where Model.ViewModelEvent == ViewModelEvent, Model.ViewEvent == ViewEvent {
        let erased = viewModel as? AnyViewModel<ViewModelEvent, ViewEvent> ?? AnyViewModel(viewModel)
        output.retained = Binding(of: self, with: erased)
        await setupBindings()
        try await erased.connectShared()
        try await erased.start()
        await erased.callHooks()
    }

    /// The view model that this View was bound with last; nil before that.
    ///
    /// `try await viewModel?.handle(event:)` has an event handled, and throws the handler's error. The event may
    /// overtake others that were sent through `output` before.
    public var viewModel: AnyViewModel<ViewModelEvent, ViewEvent>? {
        (output.retained as? Binding<ViewModelEvent, ViewEvent>)?.viewModel
    }
}

/// A view model that debounces its events itself, as one on a server does, and counts those that wait for it.
package protocol SchedulingViewModel<ViewEvent>: AnyObject, Sendable {
    associatedtype ViewEvent: Sendable

    /// Called when a bound View has sent an event, which may have to wait for others. Calls come in the order of sending.
    ///
    /// - Returns: a number for the event. Either `handle(event:number:)` or `giveUp(_:number:)` is called with it later, once.
    func expect(_ event: ViewEvent) -> Int

    func handle(event: ViewEvent, number: Int) async throws

    /// Called for an event that won't be handled, since a newer one has taken its place.
    func giveUp(_ event: ViewEvent, number: Int)
}

/// The two subscriptions between a View and its view model. The View's output owns it, and its end ends both.
///
/// It keeps the view model and never the View, so the two go together when the View is released.
private final class Binding<ViewModelEvent: Sendable, ViewEvent: Sendable>: Sendable {
    let viewModel: AnyViewModel<ViewModelEvent, ViewEvent>
    private let toView: Subscription
    private let toViewModel: Subscription

    init<V: View>(of view: V, with viewModel: AnyViewModel<ViewModelEvent, ViewEvent>)
    where V.ViewModelEvent == ViewModelEvent, V.ViewEvent == ViewEvent {
        self.viewModel = viewModel
        toView = view.subscribe(to: viewModel.output)
        let scheduling = viewModel.base as? any SchedulingViewModel<ViewEvent>
        // The queue keeps the view model only for as long as the View's output keeps this handler or an event waits.
        let receive: @Sendable (ViewEvent, Int?) async -> Void = { [weak view] event, number in
            do {
                if let scheduling, let number {
                    try await scheduling.handle(event: event, number: number)
                } else {
                    try await viewModel.handle(event: event)
                }
            } catch {
                await view?.handle(failure: error, of: event)
            }
        }
        if ViewEvent.self is any ScheduledEvent.Type {
            let clock = scheduling == nil ? ContinuousClock() : nil
            let queue = ScheduledEventQueue<ViewEvent>(clock: clock, receive: receive) { [weak view] event, number in
                if let number { scheduling?.giveUp(event, number: number) }
                await view?.handle(failure: CancellationError(), of: event)
            }
            toViewModel = view.output.subscribe { queue.push($0, number: scheduling?.expect($0)) }
        } else {
            let queue = EventQueue<(ViewEvent, Int?)> { await receive($0.0, $0.1) }
            toViewModel = view.output.subscribe { queue.push(($0, scheduling?.expect($0))) }
        }
        viewModel.addAudience()
    }

    deinit {
        viewModel.removeAudience()
        // The view model isn't kept for this: where nobody else has it, it goes with its View. Detached, since the View may be
        // released inside anything.
        Task.detached { [weak base = viewModel.base] in
            if let base { await AnyViewModel(base).callHooks() }
        }
    }
}
