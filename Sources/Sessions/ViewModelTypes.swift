/// The types that a registered view model exchanges with its clients.
package struct ViewModelTypes: Sendable {
    /// What a client opens it with.
    package enum Arguments: Sendable {
        case none
        case decoded(any Any.Type)
        /// Only other view models can show it.
        case undecodable
    }

    /// What its Views are told.
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
