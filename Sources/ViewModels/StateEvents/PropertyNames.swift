@_spi(Reflection) import Swift

/// The names and types of a view model's properties, from its type alone.
///
/// The language has no way to ask for them. The standard library reads them from the metadata that the compiler
/// writes for `Mirror`, so they are the names by which `Mirror` finds the properties of an object. A program that
/// was built without that metadata has none.
package enum PropertyNames {
    /// Those that an `ObservableViewModel` sends: superclasses first, and in order of declaration; nil when `type` is
    /// neither a class nor an actor.
    package static func values(of type: any Any.Type) -> [(name: String, type: any Any.Type)]? {
        properties(of: type) { type in
            (type as? any ObservableProperty.Type).map { ($0.isWrapper, valueType($0)) }
        }
    }

    /// Those that are saved of a `DurableViewModel`, in the same order; nil as there.
    package static func savedValues(of type: any Any.Type) -> [(name: String, type: any Any.Type)]? {
        properties(of: type) { type in
            (type as? any SavedProperty.Type).map { ($0.isWrapper, savedType($0)) }
        }
    }

    /// - Parameter value: the type of the value of a property, given its own type; nil for other properties.
    private static func properties(
        of type: any Any.Type, _ value: (any Any.Type) -> (isWrapper: Bool, type: any Any.Type)?
    ) -> [(name: String, type: any Any.Type)]? {
        var properties: [(name: String, type: any Any.Type)] = []
        let isClass = _forEachField(of: type, options: _EachFieldOptions(rawValue: classes)) { label, _, type, _ in
            if let (isWrapper, value) = value(type) {
                properties.append((PropertyName.of(label: String(cString: label), isWrapper: isWrapper), value))
            }
            return true
        }
        return isClass ? properties : nil
    }

    private static func valueType<Property: ObservableProperty>(_ type: Property.Type) -> any Any.Type {
        Property.Value.self
    }

    private static func savedType<Property: SavedProperty>(_ type: Property.Type) -> any Any.Type {
        Property.Value.self
    }

    /// `_EachFieldOptions.classType`, which can't be named in Swift 6 as it is a `var`.
    private static let classes: UInt32 = 1
}
