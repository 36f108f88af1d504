import ViewModels

extension Registry {
    /// Returns the view models and objects that claim to outlive their process and can't, each with what to do about it. A
    /// server with a store refuses them, as it would store nothing of them, or end each session that has them.
    ///
    /// Only objects are found that are a stored property, of their own type, of a view model or of an object that its container
    /// makes. Others are refused when a container makes them.
    ///
    /// - Parameter hasValues: whether properties that can't be saved are among the problems. A contract names them, too, with
    ///   their places.
    package func durabilityProblems(withValues hasValues: Bool = true) -> [String] {
        var problems: [String] = []
        var named: [String: any DurableSingleton.Type] = [:]
        for entry in entries {
            problems += entry.problemsOfState(withValues: hasValues).map { "\(entry.name): \($0)" }
            for type in PropertyNames.durableSingletons(of: entry.model) {
                if let other = named.updateValue(type, forKey: type.savedName), other != type {
                    problems.append(SameSavedName(other, type, name: type.savedName).description)
                } else {
                    problems += Self.problems(of: type, withValues: hasValues)
                }
            }
        }
        // Several view models may keep the same object.
        var told: Set<String> = []
        return problems.filter { told.insert($0).inserted }
    }

    /// The durable singletons that are known by the types of the view models.
    var durableSingletons: [any DurableSingleton.Type] {
        entries.flatMap { PropertyNames.durableSingletons(of: $0.model) }
    }

    private static func problems(of type: any DurableSingleton.Type, withValues hasValues: Bool) -> [String] {
        let name = TypeNames.qualified(type)
        guard type.scope == .session else { return [KeptByProcess(type: name).description] }
        let values = hasValues ? unsaved(of: type) : []
        return values.map { "'\($0.name)' of \(name) can't be saved, since \($0.type) isn't Codable" }
            + problemOfNames(of: type, name)
    }

    /// Returns what is wrong with the `CodingKeys` of a type that saves its properties.
    fileprivate static func problemOfNames(of type: any Any.Type, _ name: String) -> [String] {
        let properties = (PropertyNames.savedProperties(of: type) ?? []).map(\.name)
        return [SavedNames(of: type).problem(with: properties, of: name)].compactMap { $0 }
    }

    fileprivate static func unsaved(of type: any Any.Type) -> [(name: String, type: any Any.Type)] {
        (PropertyNames.savedProperties(of: type) ?? []).filter { !($0.type is any Codable.Type) }
    }

    /// Checks that every view model and object which claims to outlive its process can.
    ///
    /// - Throws: `DurabilityError`, with all `durabilityProblems`.
    package func checkDurability() throws {
        let problems = durabilityProblems()
        guard problems.isEmpty else { throw DurabilityError(problems: problems) }
    }
}

extension Registry.Entry {
    fileprivate func problemsOfState(withValues hasValues: Bool) -> [String] {
        guard let type = model as? any DurableViewModel.Type else { return [] }
        let name = ViewModelTypes.name(of: model)
        let values = hasValues && savesProperties(type) ? Registry.unsaved(of: type) : []
        let problems =
            values.map { "'\($0.name)' of \(name) can't be saved, since \($0.type) isn't Codable" }
            + problemOfNames(of: type, name)
        guard case .others = arguments, let type = model as? any PerRequest.Type, let wrong = unstorable(type) else {
            return problems
        }
        return problems + ["the arguments of \(name) can't be stored, since \(wrong) isn't Codable"]
    }

    private func problemOfNames<Model: DurableViewModel>(of type: Model.Type, _ name: String) -> [String] {
        if savesProperties(type) { return Registry.problemOfNames(of: type, name) }
        guard Model.CodingKeys.self != UnchangedNames.self else { return [] }
        let place = "\(Model.SavedState.self)"
        return ["the CodingKeys of \(name) do nothing, since its SavedState is stored: put them into \(place)"]
    }

    private func savesProperties<Model: DurableViewModel>(_ type: Model.Type) -> Bool {
        Model.SavedState.self == SavedProperties.self
    }

    /// Returns the type of arguments that can't be stored; nil where they can, or there are none.
    private func unstorable<Model: PerRequest>(_ type: Model.Type) -> (any Any.Type)? {
        Model.Arguments.self is any Codable.Type || Model.Arguments.self == Void.self ? nil : Model.Arguments.self
    }
}

/// The error for view models or objects that claim to outlive their process, and can't.
package struct DurabilityError: Error, CustomStringConvertible {
    let problems: [String]

    package var description: String { problems.joined(separator: "\n") }
}

/// The error for a durable singleton that the process would keep, so that nothing of it would be stored.
struct KeptByProcess: Error, CustomStringConvertible {
    let type: String

    var description: String {
        """
        \(type) is a DurableSingleton, and would be kept by the whole process, of which nothing is stored: leave out its \
        scope, or make it .session, and resolve it by its own type; for one of the process, conform to Singleton alone
        """
    }
}

/// The error for two types of objects whose values would be stored under the same names.
struct SameSavedName: Error, CustomStringConvertible {
    let types: [String]
    let name: String

    init(_ one: any DurableSingleton.Type, _ other: any DurableSingleton.Type, name: String) {
        types = [TypeNames.qualified(one), TypeNames.qualified(other)]
        self.name = name
    }

    var description: String {
        """
        \(types[0]) and \(types[1]) are both stored as '\(name)': give one of them another name, such as \
        static let savedName = "\(name)2"
        """
    }
}
