package import Contracts
package import Sessions

extension ContractBuilder {
    package mutating func contract(of types: ViewModelTypes) -> ViewModelContract {
        contract(
            of: types.name, types.model, arguments: Arguments(types.arguments), viewEvent: types.viewEvent,
            events: Events(types.events))
    }
}

extension ContractBuilder.Arguments {
    fileprivate init(_ arguments: ViewModelTypes.Arguments) {
        switch arguments {
        case .none: self = .none
        case .decoded(let type): self = .decoded(type)
        case .undecodable: self = .undecodable
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
