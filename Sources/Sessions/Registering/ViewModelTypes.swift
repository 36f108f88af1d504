import ViewModels

/// The types that a registered view model exchanges with its clients.
package struct ViewModelTypes: Sendable {
    /// The arguments that a client opens the view model with.
    package enum Arguments: Sendable {
        case none
        case decoded(any Any.Type)
        /// Clients can't open it: other view models show it, and give it its arguments.
        case others
    }

    /// The events that its Views are sent.
    package enum Events: Sendable {
        /// An enum.
        case cases(any Any.Type)
        /// One event for each name, with a value of the type.
        case values([(name: String, type: any Any.Type)])
    }

    /// As it is registered.
    package let name: String
    package let model: any Any.Type
    package let arguments: Arguments
    package let viewEvent: any Any.Type
    package let events: Events
}

extension ViewModelTypes.Events {
    init<Model: HostableViewModel>(of type: Model.Type) {
        self =
            switch type {
            case is any ObservableViewModel.Type:
                PropertyNames.values(of: type).map { .values($0) } ?? .cases(Model.HostedEvent.self)
            case let type as any NotifyingViewModel.Type: .values([(ChangeEvent<Never>.name, Self.stateType(type))])
            default: .cases(Model.HostedEvent.self)
            }
    }

    private static func stateType<Model: NotifyingViewModel>(_ type: Model.Type) -> any Any.Type { Model.State.self }
}
