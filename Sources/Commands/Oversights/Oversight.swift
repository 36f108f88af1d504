package import Contracts
import Serving
package import Sessions
import Transport
import ViewModels

/// A mistake in a view model, or in an object that it keeps: code that compiles and has no effect.
///
/// Only certain mistakes are reported: a warning about correct code at each start costs more than a mistake that is found by
/// other means.
package struct Oversight {
    let place: Documentation.Place?
    /// The mistake, with the property and its type, and how to correct the mistake.
    package let text: String

    /// Returns the mistakes of all view models.
    ///
    /// - Parameter documentation: the symbol graphs. Without them, as when a server starts, only mistakes are found that the
    ///   types show.
    package static func all(in registry: Registry, _ documentation: Documentation = Documentation()) -> [Oversight] {
        let types = registry.allNames.compactMap { registry.types(of: $0) }
        let roles = TypeRoles(types, in: registry)
        // Several view models may keep the same object.
        var told: Set<String> = []
        return types.flatMap { types in
            let search = OversightSearch(types: types, roles: roles, documentation: documentation)
            return search.found.map { Oversight(place: $0.place, text: "\($0.subject ?? types.name): \($0.words)") }
        }.filter { told.insert($0.text).inserted }
    }
}

extension Oversight {
    /// Warns of all mistakes, on a thread of its own: the search takes about 0.1 s, in which the caller's loop would serve
    /// nobody.
    static func warn(of core: ServerCore, in log: ServerLog) {
        let (registry, scopeless) = (core.registry, core.scopeless.joined(separator: ", "))
        if !scopeless.isEmpty {
            log.warning("--isolate: clients in different processes don't find the same session by opening \(scopeless)")
        }
        do throws(SystemError) {
            try Thread.start("oversights") { for oversight in all(in: registry) { log.warning(oversight.text) } }
        } catch {
            log.warning("the view models weren't looked over: \(error)")
        }
    }
}

/// The roles of types in all view models of a registry: a type that has no effect in one place may have one in another.
struct TypeRoles {
    private var viewEvents: Set<ObjectIdentifier> = []
    private var events: Set<ObjectIdentifier> = []
    private var storedArguments: Set<ObjectIdentifier> = []
    private var children: Set<ObjectIdentifier> = []
    /// Whether a client can open a durable view model, so that there are stored sessions.
    private(set) var storesSessions = false

    init(_ all: [ViewModelTypes], in registry: Registry) {
        for types in all {
            viewEvents.insert(ObjectIdentifier(types.viewEvent))
            if case .cases(let event) = types.events { events.insert(ObjectIdentifier(event)) }
            if types.state != nil, let type = types.argumentsType { storedArguments.insert(ObjectIdentifier(type)) }
            if registry.isChild(types.model) { children.insert(ObjectIdentifier(types.model)) }
        }
        storesSessions = registry.names.contains { registry.isDurable($0) }
    }

    func isViewEvent(_ type: any Any.Type) -> Bool { viewEvents.contains(ObjectIdentifier(type)) }
    func isEvent(_ type: any Any.Type) -> Bool { events.contains(ObjectIdentifier(type)) }
    func areStoredArguments(_ type: any Any.Type) -> Bool { storedArguments.contains(ObjectIdentifier(type)) }

    /// Whether other view models can show the type.
    func isChild(_ type: any Any.Type) -> Bool { children.contains(ObjectIdentifier(type)) }
}

extension ViewModelTypes {
    /// The type of the view model's arguments, whoever gives them; nil if it has none.
    var argumentsType: (any Any.Type)? {
        switch arguments {
        case .none: nil
        case .decoded(let type): type
        case .others: (model as? any PerRequest.Type).map { Self.arguments(of: $0) }
        }
    }

    private static func arguments<Model: PerRequest>(of type: Model.Type) -> any Any.Type { Model.Arguments.self }
}
