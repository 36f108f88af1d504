import JSONRPC
package import Sessions
package import Transcripts

extension Contract {
    /// All that a server with these view models can be asked and can say.
    package init(_ registry: Registry) {
        let viewModels = registry.allNames.map { name in
            let kinds = registry.kinds(of: name)
            return ViewModel(name: name, viewEvents: kinds.viewEvents, viewModelEvents: kinds.viewModelEvents)
        }
        self.init(
            methods: Methods.all.map { "\($0.name)" }, notifications: Notification.allCases.map { "\($0.name)" },
            errorCodes: ErrorCode.allCases, viewModels: viewModels)
    }
}
