import TestSupport
import ViewModels

/// A view model with all that it sends, in order.
struct Recorded<Model: ViewModel>: Sendable {
    let model: Model
    let events = Recorder<Model.ViewModelEvent>()
    private let subscription: Subscription

    init(_ model: Model) {
        self.model = model
        subscription = model.output.subscribe { [events] in events.record($0) }
    }
}
