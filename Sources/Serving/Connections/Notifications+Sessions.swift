import JSON
import Sessions
import ViewModelProtocol
import ViewModels

// Sessions know nothing of the protocol. This file puts what a view is told in its terms.

extension SessionLog.Content {
    /// The name of the notification that carries the content to a view.
    var notificationName: StaticString {
        switch self {
        case .event: ViewModelEvent.name
        case .navigation(let change):
            switch change.kind {
            case .push: NavigationPush.name
            case .present: NavigationPresent.name
            case .pop: NavigationPop.name
            case .dismiss: NavigationDismiss.name
            }
        }
    }
}

extension SessionClosed.Reason {
    init(_ reason: EndReason) {
        self =
            switch reason {
            case .closed: .closed
            case .dismissed: .dismissed
            case .popped: .popped
            case .failed: .failed
            case .overflow: .overflow
            case .replaced: .replaced
            case .serverShutdown: .serverShutdown
            }
    }
}

extension NavigationChange {
    /// Writes those members of the change's notification that are between `seq` and `after`.
    ///
    /// - Parameter readKey: the key of readers that the view was attached with; nil where its client may do everything.
    func writeMembers(to params: inout JSONWriter, readKey: String?) {
        // The client knows a child that is taken off by its key.
        if kind == .push || kind == .present {
            params.key("viewModel")
            params.string(child.viewModel)
        }
        params.key("key")
        params.string(child.key(under: readKey))
    }
}

extension SessionViewsChanged.Params {
    /// The most views that are told of.
    private static let maximumCount = 100

    init(_ view: AttachedView, _ present: [PresentView]) {
        var told = Array(present.prefix(Self.maximumCount))
        if let own = present.dropFirst(Self.maximumCount).first(where: \.isSelf) { told[told.count - 1] = own }
        self.init(
            session: .init(view.number), views: told.map { .init($0) },
            count: told.count < present.count ? .init(present.count) : nil)
    }
}

extension SessionViewsChanged.PresentView {
    fileprivate init(_ view: PresentView) {
        self.init(
            client: view.client?.name, program: view.client?.program, principal: view.client?.principal,
            access: view.options.contains(.looksOnly) ? .read : nil, you: view.isSelf)
    }
}
