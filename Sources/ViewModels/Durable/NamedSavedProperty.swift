/// A saved property of an object, with its names.
package struct NamedSavedProperty: Sendable {
    /// The name in Swift.
    package let propertyName: String
    /// The name in the store.
    package let name: String
    package let property: any SavedProperty

    /// Returns all saved properties of an object: superclasses first, and in order of declaration. Called in the object's
    /// isolation, since reflection reads every stored property.
    ///
    /// - Throws: `SavedPropertyError`, where a property isn't `Codable`, or two have the same name.
    package static func all(of object: any AnyObject) throws -> [NamedSavedProperty] {
        var mirrors: [Mirror] = []
        var next: Mirror? = Mirror(reflecting: object)
        while let mirror = next {
            mirrors.append(mirror)
            next = mirror.superclassMirror
        }
        let names = SavedNames(of: type(of: object))
        var found: [NamedSavedProperty] = []
        for (label, value) in mirrors.reversed().flatMap(\.children) {
            guard let label else { continue }
            guard let property = value as? any SavedProperty else {
                if let rows = value as? any HostedRows, rows.isKept {
                    throw SavedPropertyError(
                        description: "the rows of '\(label)' of \(type(of: object)) can't be saved, since "
                            + "\(type(of: rows).rowType) isn't Codable")
                }
                continue
            }
            let named = try NamedSavedProperty(property, label: label, names, of: "\(type(of: object))")
            guard !found.contains(where: { $0.propertyName == named.propertyName }) else {
                throw SavedPropertyError(
                    description: "\(type(of: object)) and its superclasses have two properties '\(named.propertyName)'")
            }
            found.append(named)
        }
        if let problem = names.problem(with: found.map(\.propertyName), of: "\(type(of: object))") {
            throw SavedPropertyError(description: problem)
        }
        return found
    }

    private init<Property: SavedProperty>(
        _ property: Property, label: String, _ names: SavedNames, of owner: String
    ) throws {
        propertyName = PropertyName.of(label: label, isWrapper: Property.isWrapper)
        name = names.stored(propertyName)
        self.property = property
        guard Property.Value.self is any Codable.Type else {
            throw SavedPropertyError(
                description: "'\(propertyName)' of \(owner) can't be saved, since \(Property.Value.self) isn't Codable")
        }
    }
}

/// Why the properties of a `DurableViewModel` can't be saved.
package struct SavedPropertyError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}
