import JSON
import Sessions

extension Notification {
    /// What tells a view of `content`.
    init(_ content: SessionLog.Content) {
        switch content {
        case .event: self = .viewModelEvent
        case .navigation(let change):
            self =
                switch change.kind {
                case .push: .navigationPush
                case .present: .navigationPresent
                case .pop: .navigationPop
                case .dismiss: .navigationDismiss
                }
        }
    }
}

extension SessionLog.Content {
    /// Writes the members of its notification that stand between the number and what follows it.
    func write(to params: inout JSONWriter) {
        switch self {
        case .event(let payload):
            params.key("event")
            params.raw(payload)
        case .navigation(let change):
            // Who takes something off the screen needn't be told again what it was.
            if change.kind == .push || change.kind == .present {
                params.key("viewModel")
                params.string(change.child.viewModel)
            }
            params.key("key")
            params.string(change.child.key)
        }
    }
}
