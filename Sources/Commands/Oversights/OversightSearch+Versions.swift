import Contracts
import Sessions
import ViewModels

/// The search for names and versions of stored state in places where they have no effect.
extension OversightSearch {
    func ofVersions(_ kept: [any Any.Type]) -> [Found] {
        var found = ofStatics(of: types.model) + ofOwner(types.model, "DurableViewModel", isOne: types.state != nil)
        if case .whole(let type)? = types.state?.form, !(type is any VersionedState.Type) {
            found += versions(of: type, "put it into \(typeName)")
        }
        if let type = types.argumentsType { found += ofArguments(type) }
        for type in kept {
            found += ofStatics(of: type)
            guard type is any Singleton.Type else { continue }
            found += ofOwner(type, "DurableSingleton", isOne: type is any DurableSingleton.Type)
        }
        return found
    }

    private func ofArguments(_ type: any Any.Type) -> [Found] {
        guard type is any DurableArguments.Type else {
            return types.state == nil ? [] : versions(of: type, "conform to DurableArguments")
        }
        guard !roles.areStoredArguments(type) else { return ofStatics(of: type) }
        let words = "DurableArguments does nothing, as arguments of a view model that isn't durable aren't stored"
        return [Found(place: documentation.place(ofType: type), words: words)]
    }

    /// Returns the mistakes in a type's versions and names of stored state.
    ///
    /// - Parameters:
    ///   - durable: the name of the protocol whose members they are.
    ///   - isOne: whether the type conforms to it. Otherwise they have no effect.
    private func ofOwner(_ type: any Any.Type, _ durable: String, isOne: Bool) -> [Found] {
        guard !isOne else { return ofMisdeclared(type) }
        var found = versions(of: type, "conform to \(durable)")
        // A type that is encoded itself needs its `CodingKeys`.
        if !(type is any Encodable.Type), let place = documentation.place(of: "CodingKeys", in: type) {
            found.append(asked(for: "CodingKeys", at: place, of: type, "conform to \(durable)"))
        }
        return found
    }

    private func versions(of type: any Any.Type, _ advice: String) -> [Found] {
        documentation.declarations(of: type).filter { Self.versionNames.contains($0.name) }.map {
            asked(for: $0.name, at: $0.place, of: type, advice)
        }
    }

    /// Returns the mistakes in members that only the source shows.
    private func ofMisdeclared(_ type: any Any.Type) -> [Found] {
        documentation.declarations(of: type).compactMap { member in
            advice(on: member, of: type).map { asked(for: member.name, at: member.place, of: type, $0) }
        }
    }

    /// Returns advice on a member; nil if the member has an effect, or is an unrelated one.
    private func advice(on member: Documentation.Declaration, of type: any Any.Type) -> String? {
        let isSingleton = type is any DurableSingleton.Type
        // False for a view model with a SavedState type: the compiler already checks its member against the others.
        let savesProperties = if case .whole? = types.state?.form { isSingleton } else { true }
        let wanted: String
        switch member.name {
        case "savedStateVersion": wanted = "Int"
        case "savedName" where isSingleton: wanted = "String"
        case "savedState(from:version:)" where savesProperties: wanted = "SavedProperties"
        case "savedState(from:version:)": wanted = ""
        case "savedState" where savesProperties && !member.text.contains("SavedProperties"):
            return isSingleton ? "make what is to be saved Saved properties" : "implement restore(_:), too"
        default: return nil
        }
        if !member.text.contains("static ") { return "make it static" }
        // A type by another name may be the same type.
        let last = member.text.split { " :>.".contains($0) }.last.map(String.init) ?? ""
        let isOther = last != wanted && (wanted != "SavedProperties" || Self.otherNames.contains(last))
        return !wanted.isEmpty && isOther ? "make its type \(wanted)" : nil
    }

    private static let otherNames = ["Int", "String", "Bool", "Double", "Void", "()"]

    /// Returns the mistakes in stored properties that should be static.
    private func ofStatics(of type: any Any.Type) -> [Found] {
        PropertyField.all(of: type).filter { field in
            switch field.name {
            case "savedStateVersion": type is any VersionedState.Type && field.type == Int.self
            case "savedName": type is any DurableSingleton.Type && field.type == String.self
            case "scope": type is any Singleton.Type && field.type == SingletonScope.self
            default: false
            }
        }.map { asked(for: $0.name, at: documentation.place(of: $0.name, in: type), of: type, "make it static") }
    }

    private func asked(
        for name: String, at place: Documentation.Place?, of type: any Any.Type, _ advice: String
    ) -> Found {
        Found(place: place, subject: TypeNames.qualified(type), words: "\(name) is never asked for: \(advice)")
    }

    private static let versionNames = ["savedStateVersion", "savedState(from:version:)"]
}
