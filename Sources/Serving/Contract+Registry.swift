import Contracts
import JSONRPC
package import Sessions
package import Transcripts

extension CoverageGoals {
    /// Everything that clients can send to a server with these view models, and that it can send.
    package init(_ registry: Registry) {
        var builder = ContractBuilder()
        let viewModels = registry.allNames.compactMap { registry.types(of: $0) }.map { types in
            let contract = builder.contract(of: types)
            return ViewModel(
                name: types.name, viewEvents: contract.viewEvent.kinds?.sorted(),
                viewModelEvents: contract.viewModelEvent.kinds?.sorted())
        }
        self.init(
            methods: Methods.all.map { "\($0.name)" }, notifications: Notification.allCases.map { "\($0.name)" },
            errorCodes: ErrorCode.allCases, viewModels: viewModels)
    }
}
