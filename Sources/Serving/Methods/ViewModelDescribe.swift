import Contracts
import JSON
import JSONRPC
import Sessions

extension Method {
    /// What may be said to a view model and what it says, as JSON Schemas. One that only others can show is described too:
    /// clients attach to it.
    static let viewModelDescribe = Method(MethodNames.viewModelDescribe, .request) {
        connection, params, _ throws(RPCError) in
        let name = try params.requiredString("viewModel")
        guard let contract = connection.core.contract(of: name) else {
            let known = connection.core.registry.allNames
            throw .unknownViewModel("there is no view model \"\(name)\"; registered are", known: known)
        }
        return { contract.write(into: &$0) }
    }
}
