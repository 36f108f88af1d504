@_spi(Reflection) import Swift
import Synchronization

/// The names and types of a view model's properties, from its type alone.
///
/// The language has no way to ask for them. The standard library reads them from the metadata that the compiler
/// writes for `Mirror`, so they are the names by which `Mirror` finds the properties of an object. A program that
/// was built without that metadata has none.
package enum PropertyNames {
    /// Returns the properties that an `ObservableViewModel` sends, with the types of their values: superclasses first, and in
    /// order of declaration. Nil when `type` is neither a class nor an actor.
    package static func values(of type: any Any.Type) -> [(name: String, type: any Any.Type)]? {
        properties(of: type) { type in
            (type as? any ObservableProperty.Type).map { ($0.isWrapper, valueType($0)) }
        }
    }

    /// Returns the saved properties of a `DurableViewModel` or a `DurableSingleton`, under their names in Swift. Order and nil
    /// are as for `values(of:)`.
    package static func savedProperties(of type: any Any.Type) -> [(name: String, type: any Any.Type)]? {
        properties(of: type) { type in
            (type as? any SavedProperty.Type).map { ($0.isWrapper, savedType($0)) }
        }
    }

    /// Returns the saved properties, under the names that they are stored by.
    package static func savedValues(of type: any Any.Type) -> [(name: String, type: any Any.Type)]? {
        let names = SavedNames(of: type)
        return savedProperties(of: type)?.map { (names.stored($0.name), $0.type) }
    }

    /// Returns the lists of a view model of any style, with the types of their rows. Order and nil are as for `values(of:)`.
    package static func lists(of type: any Any.Type) -> [(name: String, type: any Any.Type)]? {
        properties(of: type) { type in
            (type as? any HostedRows.Type).map { (false, $0.rowType) }
        }
    }

    /// Returns the durable singletons that a view model keeps, or that are kept by these and by other kept objects which a
    /// container makes. Each comes once, in the order in which they are found.
    package static func durableSingletons(of type: any Any.Type) -> [any DurableSingleton.Type] {
        var found: [any DurableSingleton.Type] = []
        var (next, known): ([any Any.Type], Set<ObjectIdentifier>) = ([type], [ObjectIdentifier(type)])
        while let type = next.popLast() {
            let fields = fieldTypes(of: type).filter { known.insert(ObjectIdentifier($0)).inserted }
            for case let singleton as any DurableSingleton.Type in fields { found.append(singleton) }
            next += fields.filter { $0 is any Resolvable.Type }.reversed()
        }
        return found
    }

    /// Returns the types of the stored properties; of an optional one, the type of its value.
    private static func fieldTypes(of type: any Any.Type) -> [any Any.Type] {
        var types: [any Any.Type] = []
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: classes)) { _, _, type, _ in
            types.append((type as? any OptionalValue.Type)?.wrappedType ?? type)
            return true
        }
        return types
    }

    /// Returns whether `lists(of:)` has any. They are looked up once for each type.
    package static func hasLists(_ type: any Any.Type) -> Bool {
        let id = ObjectIdentifier(type)
        if let known = known.withLock({ $0[id] }) { return known }
        let hasLists = lists(of: type)?.isEmpty == false
        known.withLock { $0[id] = hasLists }
        return hasLists
    }

    private static let known = Mutex<[ObjectIdentifier: Bool]>([:])

    /// Returns the lists of an object, in the order of `lists(of:)`. They are constants, so that no isolation is needed to read
    /// them.
    package static func lists(in object: some AnyObject) -> [(name: String, rows: any HostedRows)] {
        var lists: [(name: String, rows: any HostedRows)] = []
        let base = Unmanaged.passUnretained(object).toOpaque()
        _ = _forEachField(of: type(of: object), options: _EachFieldOptions(rawValue: classes)) {
            label, offset, type, _ in
            if type is any HostedRows.Type,
                // A stored reference of a final class, at the place that the compiler says.
                let rows = Unmanaged<AnyObject>.fromOpaque(base.load(fromByteOffset: offset, as: UnsafeRawPointer.self))
                    .takeUnretainedValue() as? any HostedRows
            {
                lists.append((PropertyName.of(label: String(cString: label), isWrapper: false), rows))
            }
            return true
        }
        return lists
    }

    /// - Parameter value: returns the type of a property's value, given the type of the property; nil for properties that
    ///   aren't wanted.
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

private protocol OptionalValue {
    static var wrappedType: any Any.Type { get }
}

extension Optional: OptionalValue {
    fileprivate static var wrappedType: any Any.Type { Wrapped.self }
}
