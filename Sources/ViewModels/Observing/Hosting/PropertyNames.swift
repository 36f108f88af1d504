@_spi(Reflection) import Swift

/// The names of the properties that Views of an `ObservableViewModel` are sent, and the types of their values, from its type
/// alone.
package enum PropertyNames {
    /// Superclasses first, and in order of declaration; nil when `type` is no class or actor.
    ///
    /// The language can't be asked for them. The standard library reads them, for itself, from the metadata that the compiler
    /// writes for `Mirror`, and so they are the names by which `Mirror` finds the properties of an object. A program that was
    /// built without that metadata has none.
    package static func values(of type: any Any.Type) -> [(name: String, type: any Any.Type)]? {
        var properties: [(name: String, type: any Any.Type)] = []
        let isClass = _forEachField(of: type, options: _EachFieldOptions(rawValue: classes)) { label, _, type, _ in
            if let type = type as? any HostableProperty.Type {
                properties.append((PropertyName.of(label: String(cString: label), type), valueType(type)))
            }
            return true
        }
        return isClass ? properties : nil
    }

    private static func valueType<Property: HostableProperty>(_ type: Property.Type) -> any Any.Type {
        Property.Value.self
    }

    /// `_EachFieldOptions.classType`, which can't be named in Swift 6 as it is a `var`.
    private static let classes: UInt32 = 1
}
