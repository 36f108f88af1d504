import JSON
import JSONRPC
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

extension NavigationChange {
    /// Writes the members of its notification that stand between the number and what follows it.
    func write(to params: inout JSONWriter) {
        // Who takes something off the screen needn't be told again what it was.
        if kind == .push || kind == .present {
            params.key("viewModel")
            params.string(child.viewModel)
        }
        params.key("key")
        params.string(child.key)
    }
}
