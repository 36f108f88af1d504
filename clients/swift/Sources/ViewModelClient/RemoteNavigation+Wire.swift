import JSON
import JSONRPC

extension RemoteNavigation {
    /// What a notification of this kind says; nil where something is missing.
    init?(_ kind: Notification, _ params: JSONValue) {
        switch kind {
        case .navigationPush:
            guard let child = RemoteChild(params) else { return nil }
            self = .push(child)
        case .navigationPresent:
            guard let child = RemoteChild(params) else { return nil }
            self = .present(child)
        case .navigationPop:
            guard let key = params.member("key")?.string() else { return nil }
            self = .pop(key: key)
        case .navigationDismiss:
            guard let key = params.member("key")?.string() else { return nil }
            self = .dismiss(key: key)
        default: return nil
        }
    }

    /// What an answer to `session/attach` says of it; nothing stands there where it says nothing.
    init(shown navigation: JSONValue?) {
        var stack: [RemoteChild] = []
        navigation?.member("stack")?.forEachElement { if let child = RemoteChild($0) { stack.append(child) } }
        self = .shown(stack: stack, presented: navigation?.member("presented").flatMap { RemoteChild($0) })
    }
}

extension RemoteChild {
    init?(_ value: JSONValue) {
        guard let viewModel = value.member("viewModel")?.string(), let key = value.member("key")?.string() else {
            return nil
        }
        self.init(viewModel: viewModel, key: key)
    }
}
