import Contracts
import JSON
import JSONRPC
import Sessions

extension Method {
    /// What may be said to a view model and what it says, as JSON Schemas. One that only others can show is described too:
    /// clients attach to it.
    static let viewModelDescribe = Method("viewModel/describe", .request) { connection, params, _ throws(RPCError) in
        let name = try params.requiredString("viewModel")
        let registry = connection.host.registry
        guard let types = registry.types(of: name) else {
            throw .unknownViewModel(
                "there is no view model \"\(name)\"; registered are", known: registry.allNames)
        }
        var builder = ContractBuilder()
        let contract = builder.contract(of: types).json
        return { contract.write(into: &$0) }
    }
}
