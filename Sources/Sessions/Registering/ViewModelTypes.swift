import ViewModels

/// The types that a registered view model exchanges with its clients.
package struct ViewModelTypes: Sendable {
    /// The arguments that a client opens the view model with.
    package enum Arguments: Sendable {
        case none
        case decoded(any Any.Type)
        /// Clients can't open the view model: others show it, and give it its arguments.
        case others
    }

    /// The events that the Views of the view model are sent.
    package enum Events: Sendable {
        /// The cases of an enum.
        case cases(any Any.Type)
        /// One event for each name, with a value of the type.
        case values([(name: String, type: any Any.Type)])
    }

    /// What is stored of a durable view model.
    package struct State: Sendable {
        package enum Form: Sendable {
            /// The saved properties, one by one.
            case properties([(name: String, type: any Any.Type)])
            /// The view model's `SavedState`.
            case whole(any Any.Type)
        }

        package let version: Int
        package let form: Form
        /// The type of the arguments that another view model shows this one with; nil where a client gives them, or none are
        /// stored.
        package let arguments: (any Any.Type)?
        /// The version that arguments are stored under, whoever gives them.
        package let argumentsVersion: Int
    }

    /// What is stored of an object that the sessions of a scene share.
    package struct Shared: Sendable {
        package let type: any Any.Type
        /// The name under which the object's values are stored.
        package let name: String
        package let version: Int
        package let properties: [(name: String, type: any Any.Type)]
    }

    /// The name under which the view model is registered.
    package let name: String
    package let model: any Any.Type
    package let arguments: Arguments
    package let scope: SessionScope
    package let viewEvent: any Any.Type
    package let events: Events
    /// The lists of the view model, with the types of their rows.
    package let lists: [(name: String, row: any Any.Type)]
    /// What is stored of the view model; nil where it isn't durable.
    package let state: State?
    /// The durable singletons that are known by the view model's type.
    package let shared: [Shared]
}

extension ViewModelTypes.Shared {
    init<Singleton: DurableSingleton>(_ type: Singleton.Type) {
        self.type = type
        name = type.savedName
        version = type.savedStateVersion
        properties = PropertyNames.savedValues(of: type) ?? []
    }
}

extension ViewModelTypes {
    /// Returns the type with its module and the types around it, such as "Examples.OrdersViewModel".
    static func name(of type: any Any.Type) -> String { TypeNames.qualified(type) }
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

extension ViewModelTypes.State {
    /// Describes the state of a durable view model; nil for others.
    init?(of model: any Any.Type, _ arguments: ViewModelTypes.Arguments) {
        guard let type = model as? any DurableViewModel.Type else { return nil }
        (version, form) = Self.saved(of: type)
        guard case .others = arguments, let type = model as? any PerRequest.Type else {
            self.arguments = nil
            argumentsVersion = if case .decoded(let type) = arguments { OlderArguments.version(of: type) } else { 1 }
            return
        }
        self.arguments = Self.storable(of: type)
        argumentsVersion = self.arguments.map { OlderArguments.version(of: $0) } ?? 1
    }

    private static func saved<Model: DurableViewModel>(of type: Model.Type) -> (version: Int, form: Form) {
        let isOwn = Model.SavedState.self != SavedProperties.self
        let form = isOwn ? Form.whole(Model.SavedState.self) : .properties(PropertyNames.savedValues(of: type) ?? [])
        return (Model.savedStateVersion, form)
    }

    /// Returns the type of arguments that can be stored. Nil for `Void`, and for arguments that can't be stored, with which the
    /// view model is taken off the screen in the next life.
    private static func storable<Model: PerRequest>(of type: Model.Type) -> (any Any.Type)? {
        Model.Arguments.self is any Codable.Type ? Model.Arguments.self : nil
    }
}
