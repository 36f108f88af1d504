import TestSupport
import ViewModels

/// A View that notes what it is told.
actor NotingView<ViewModelEvent: Sendable, ViewEvent: Sendable>: View {
    nonisolated let output = Output<ViewEvent>()
    nonisolated let events = Recorder<ViewModelEvent>()
    nonisolated let failures = Recorder<String>()

    /// A View of this view model, bound.
    static func bound(with model: AnyViewModel<ViewModelEvent, ViewEvent>) async throws -> NotingView {
        let view = NotingView()
        try await view.bind(with: model)
        return view
    }

    func handle(event: ViewModelEvent) {
        events.record(event)
    }

    func handle(failure: any Error, of event: ViewEvent) {
        failures.record("\(failure)")
    }
}
