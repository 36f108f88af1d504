import Contracts
import Sessions
import ViewModels

/// Names and versions of what is stored, in places where nobody asks for them.
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

    /// Mistakes of a type that says versions and names, and isn't durable.
    private func ofOwner(_ type: any Any.Type, _ durable: String, isOne: Bool) -> [Found] {
        guard !isOne else { return ofMisdeclared(type) }
        var found = versions(of: type, "conform to \(durable)")
        // A type that is encoded itself has its own use for them.
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

    /// Members that only the source shows.
    private func ofMisdeclared(_ type: any Any.Type) -> [Found] {
        documentation.declarations(of: type).compactMap { member in
            advice(on: member, of: type).map { asked(for: member.name, at: member.place, of: type, $0) }
        }
    }

    /// Nil where the member is asked for, or is another one.
    private func advice(on member: Documentation.Declaration, of type: any Any.Type) -> String? {
        let isSingleton = type is any DurableSingleton.Type
        // Not of a view model with a SavedState, which the compiler holds against its other members.
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
        // Another name may be one for the same type.
        let last = member.text.split { " :>.".contains($0) }.last.map(String.init) ?? ""
        let isOther = last != wanted && (wanted != "SavedProperties" || Self.otherNames.contains(last))
        return !wanted.isEmpty && isOther ? "make its type \(wanted)" : nil
    }

    private static let otherNames = ["Int", "String", "Bool", "Double", "Void", "()"]

    /// Stored properties of an object, where those of its type are meant.
    private func ofStatics(of type: any Any.Type) -> [Found] {
        StoredField.all(of: type).filter { field in
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
