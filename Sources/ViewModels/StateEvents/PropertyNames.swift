@_spi(Reflection) import Swift

/// The names and types of the properties that an `ObservableViewModel` sends, from its type alone.
package enum PropertyNames {
    /// Superclasses first, and in order of declaration; nil when `type` is neither a class nor an actor.
    ///
    /// The language has no way to ask for them. The standard library reads them from the metadata that the compiler
    /// writes for `Mirror`, so they are the names by which `Mirror` finds the properties of an object. A program that
    /// was built without that metadata has none.
    package static func values(of type: any Any.Type) -> [(name: String, type: any Any.Type)]? {
        var properties: [(name: String, type: any Any.Type)] = []
        let isClass = _forEachField(of: type, options: _EachFieldOptions(rawValue: classes)) { label, _, type, _ in
            if let type = type as? any ObservableProperty.Type {
                properties.append((PropertyName.of(label: String(cString: label), type), valueType(type)))
            }
            return true
        }
        return isClass ? properties : nil
    }

    private static func valueType<Property: ObservableProperty>(_ type: Property.Type) -> any Any.Type {
        Property.Value.self
    }

    /// `_EachFieldOptions.classType`, which can't be named in Swift 6 as it is a `var`.
    private static let classes: UInt32 = 1
}
