/// The two subscriptions between a View and its view model. The View's output owns it, and its end ends both.
///
/// It keeps the view model and never the View, so the two go together when the View is released.
final class Binding<ViewModelEvent: Sendable, ViewEvent: Sendable>: Sendable {
    let viewModel: AnyViewModel<ViewModelEvent, ViewEvent>
    private let toView: Subscription
    private let toViewModel: Subscription

    init<V: View>(of view: V, with viewModel: AnyViewModel<ViewModelEvent, ViewEvent>)
    where V.ViewModelEvent == ViewModelEvent, V.ViewEvent == ViewEvent {
        self.viewModel = viewModel
        toView = view.subscribe(to: viewModel.output)
        // The queue keeps the view model only for as long as the View's output keeps this handler or an event waits.
        let queue = EventQueue<ViewEvent> { [weak view] event in
            do {
                try await viewModel.handle(event: event)
            } catch {
                await view?.handle(failure: error, of: event)
            }
        }
        toViewModel = view.output.subscribe { queue.push($0) }
    }
}
