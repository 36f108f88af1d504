import Contracts
import Sessions
import ViewModels

/// The search for state that looks as if it were saved or shown, and isn't.
extension OversightSearch {
    /// Mistakes in the state of the view model itself.
    var ofState: [Found] {
        var words = ofSaving.map { [$0] } ?? []
        if types.state != nil, !roles.storesSessions {
            words.append("nothing of \(typeName) is saved, as no view model that clients open is a DurableViewModel")
        }
        if types.model is any BackHandling.Type, !roles.isChild(types.model) {
            words.append("willGoBack() is never called, as no view model shows it: register it with addChild")
        }
        return words.map { found($0) }
    }

    private var ofSaving: String? {
        let fields = PropertyField.all(of: types.model)
        let saved = fields.filter { $0.type is any OnlySaved.Type }.map(\.name)
        switch types.state?.form {
        case nil: return saved.isEmpty ? nil : "\(arentSaved(saved, of: types.model)): conform to DurableViewModel"
        case .whole:
            guard !saved.isEmpty else { return nil }
            return """
                \(arentSaved(saved, of: types.model)), as its SavedState is stored in place of properties: put what it needs \
                into that, or leave out SavedState
                """
        // An object that the view model shares with others may have all of its state.
        case .properties(let values):
            guard values.isEmpty, types.shared.allSatisfy(\.properties.isEmpty) else { return nil }
            let variables = fields.filter { $0.form == .variable && canBeSaved($0.type) }.map(\.name)
            guard !variables.isEmpty else { return nil }
            return """
                nothing of \(typeName) is saved: make \(list(variables)) @Saved, or keep what may be lost in a type that \
                isn't Codable
                """
        }
    }

    /// Whether values of a type are state, as opposed to tasks, closures, services and other objects.
    private func canBeSaved(_ type: any Any.Type) -> Bool {
        type is any Codable.Type && !(type is AnyClass) && KeptTypes.contained(in: type) { $0 is AnyClass } == nil
    }

    /// Returns the mistakes of an object that a view model keeps, or of a struct with properties of its own.
    func ofKept(_ type: any Any.Type) -> [Found] {
        guard let singleton = type as? any DurableSingleton.Type else {
            let saved = PropertyField.all(of: type).filter { $0.type is any OnlySaved.Type }.map(\.name)
            let advice =
                type is any Singleton.Type
                ? "conform to DurableSingleton" : "make it a property of a DurableViewModel or a DurableSingleton"
            let words = saved.isEmpty ? [] : ["\(arentSaved(saved, of: nil)): \(advice)"]
            return words.map { found($0, of: type) } + ofFields(of: type)
        }
        // The registry refuses a singleton of any other scope.
        guard singleton.scope == .session else { return [] }
        var words: [String] = []
        if PropertyNames.savedProperties(of: type)?.isEmpty == true {
            words.append("nothing of this DurableSingleton is saved: make its properties Saved")
        } else if !roles.storesSessions {
            words.append("nothing of it is saved, as no view model that clients open is a DurableViewModel")
        }
        return words.map { found($0, of: type) } + ofFields(of: type)
    }
}

extension OversightSearch {
    /// Returns the mistakes of properties that would have an effect only in another type of owner.
    func ofFields(of type: any Any.Type) -> [Found] {
        let isModel = type == types.model
        return PropertyField.all(of: type).compactMap { field in
            words(on: field, of: type).map { words in
                Found(
                    place: documentation.place(of: field.name, in: type) ?? documentation.place(ofType: type),
                    subject: isModel ? nil : TypeNames.qualified(type), words: words)
            }
        }
    }

    private func words(on field: PropertyField, of type: any Any.Type) -> String? {
        let name = type == types.model ? "'\(field.name)' of \(typeName)" : "'\(field.name)'"
        if let effect = effect(of: field.type, in: type) {
            guard field.form == .variable else { return nil }
            return "\(name) is a var, and only the first \(kind(field.type)) in it is \(effect): make it a let"
        }
        let isLazy = field.form == .lazyVariable
        // A Dynamic in a container may serve others than Views.
        let inside = KeptTypes.contained(in: field.type) {
            (isLazy || $0 is any HostedRows.Type || $0 is any OnlySaved.Type) && effect(of: $0, in: type) != nil
        }
        guard let inside, let effect = effect(of: inside, in: type) else { return nil }
        return isLazy
            ? "\(name) is lazy, and its \(kind(inside)) is never \(effect): make it a let"
            : "\(name) has a \(kind(inside)) in it that is never \(effect): make that a property of its own, a let"
    }

    /// Returns the effect that a property of this type has for its owner; nil if it has none, or none that is known.
    private func effect(of field: any Any.Type, in owner: any Any.Type) -> String? {
        let isModel = owner == types.model
        if isModel, field is any HostedRows.Type { return "shown" }
        if isModel, types.model is any ObservableViewModel.Type, field is any SavedProperty.Type,
            !(field is any OnlySaved.Type)
        {
            return "sent"
        }
        guard field is any SavedProperty.Type else { return nil }
        if isModel { if case .properties? = types.state?.form { return "saved" } }
        return owner is any DurableSingleton.Type ? "saved" : nil
    }

    /// Returns the name of a type without generic arguments: `Rows` for `Rows<Int>`.
    private func kind(_ type: any Any.Type) -> Substring { "\(type)".prefix { $0 != "<" } }

    /// Returns the statement that properties aren't saved.
    ///
    /// - Parameter type: the owner to name; nil if the subject of the message is the owner.
    private func arentSaved(_ names: [String], of type: (any Any.Type)?) -> String {
        let owner = type.map { " of \(TypeNames.qualified($0))" } ?? ""
        return "\(list(names))\(owner) \(names.count == 1 ? "isn't" : "aren't") saved"
    }

    private func list(_ names: [String]) -> String {
        let quoted = names.map { "'\($0)'" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
        return quoted.dropLast().joined(separator: ", ") + " and " + last
    }
}
