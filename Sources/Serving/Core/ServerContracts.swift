package import Contracts
package import Sessions
package import Transcripts
import ViewModelProtocol

extension CoverageGoals {
    /// Takes as goals all that clients can send to a server with these view models, and all that the server can send.
    package init(_ registry: Registry) {
        var builder = ContractBuilder()
        let viewModels = registry.allNames.compactMap { registry.types(of: $0) }.map { types in
            let contract = builder.contract(of: types)
            return ViewModel(
                name: types.name, viewEvents: contract.viewEvent.kinds?.sorted(),
                viewModelEvents: contract.viewModelEvent.kinds?.sorted())
        }
        self.init(
            methods: Methods.all.map { "\($0.name)" }, notifications: ServerNotifications.all.map { "\($0.name)" },
            errorCodes: ProtocolError.all.map(\.code), viewModels: viewModels)
    }
}

extension ProtocolDescription {
    /// Describes the methods of this server, and all that it sends.
    package init(_ documentation: Documentation = Documentation()) {
        self.init(methods: Methods.all.map(\.message), documentation: documentation)
    }
}

extension ContractBuilder {
    package mutating func contract(of types: ViewModelTypes) -> ViewModelContract {
        var contract = contract(
            of: types.name, types.model, arguments: Arguments(types.arguments), viewEvent: types.viewEvent,
            events: Events(types.events), lists: types.lists, state: types.state.map { State($0) },
            shared: types.shared.map { SharedObject($0.type, name: $0.name, version: $0.version, $0.properties) })
        contract.scope = types.scope == .each ? nil : types.scope.rawValue
        return contract
    }
}

extension ContractBuilder.State {
    fileprivate init(_ state: ViewModelTypes.State) {
        let form: Form =
            switch state.form {
            case .properties(let values): .properties(values)
            case .whole(let type): .whole(type)
            }
        self.init(
            version: state.version, form: form, arguments: state.arguments, argumentsVersion: state.argumentsVersion)
    }
}

extension ContractBuilder.Arguments {
    fileprivate init(_ arguments: ViewModelTypes.Arguments) {
        switch arguments {
        case .none: self = .none
        case .decoded(let type): self = .decoded(type)
        case .others: self = .others
        }
    }
}

extension ContractBuilder.Events {
    fileprivate init(_ events: ViewModelTypes.Events) {
        switch events {
        case .cases(let type): self = .cases(type)
        case .values(let values): self = .values(values)
        }
    }
}
