import JSON
import ViewModels

extension Registry {
    /// What is known by a name.
    struct Entry: Sendable {
        /// Makes a host with a client's arguments, which are found at the path, and a session's container, where that is
        /// needed.
        typealias Make =
            @Sendable (JSONValue?, JSONPointer, @escaping @Sendable () -> Container) throws(JSONCodingError)
            -> any ModelHost

        let name: String
        /// Nil where only other view models can show it.
        let make: Make?
        let model: any Any.Type
        let arguments: ViewModelTypes.Arguments
        let viewEvent: any Any.Type
        /// Looked for only when they are asked for.
        let events: @Sendable () -> ViewModelTypes.Events

        var types: ViewModelTypes {
            ViewModelTypes(name: name, model: model, arguments: arguments, viewEvent: viewEvent, events: events())
        }
    }

    /// A view model's type as others show it.
    struct Screen: Sendable {
        let name: String
        let type: any Any.Type
        /// Hosts a view model that was made already; nil when it is of another type.
        let host: @Sendable (any AnyObject & Sendable) -> (any ModelHost)?
    }
}
