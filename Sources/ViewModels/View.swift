/// What shows a view model's events and sends its own: a window, a cell, a script, or a client on another machine.
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
    /// What the view model tells this View.
    associatedtype ViewModelEvent: Sendable
    /// What this View tells the view model.
    associatedtype ViewEvent: Sendable

    /// Where this View's events leave; one object for the whole life of the View, which also keeps its binding.
    var output: Output<ViewEvent> { get }

    /// The single point where the view model reaches this View: called in the View's own isolation, for one event at a
    /// time, in the order in which they were sent.
    func handle(event: ViewModelEvent) async

    /// Called by `bind(with:)` when events can already flow and before the view model starts: the place to hand
    /// `viewModel` to the Views inside this one. Does nothing unless implemented.
    func setupBindings() async

    /// Called in the View's own isolation when the view model could not handle `event`. Does nothing unless implemented,
    /// as a view model that reports failures by its events needs no more.
    func handle(failure: any Error, of event: ViewEvent) async

    /// How the view model's events reach `handle(event:)`: called once by `bind(with:)`, which keeps the subscription.
    ///
    /// Unless implemented, events wait in a queue for this View's isolation, so a view model never waits for a View.
    /// Implement it only in a View that can take events on whatever thread sends them.
    func subscribe(to output: Output<ViewModelEvent>) -> Subscription
}

extension View {
    /// Does nothing.
    public func setupBindings() {}

    /// Does nothing.
    public func handle(failure: any Error, of event: ViewEvent) {}

    /// Queues each event for this View's isolation. The end of the subscription drops what waits, so that a View which
    /// was bound again isn't told of the view model before.
    public func subscribe(to output: Output<ViewModelEvent>) -> Subscription {
        let queue = EventQueue<ViewModelEvent> { [weak self] event in
            await self?.handle(event: event)
        }
        let subscription = output.subscribe { queue.push($0) }
        return Subscription {
            subscription.cancel()
            queue.close()
        }
    }
}
