@_spi(Reflection) import Swift
import Synchronization

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

    /// Those that are saved of a `DurableViewModel` or a `DurableSingleton`, under their names in Swift, in the same order;
    /// nil as there.
    package static func savedProperties(of type: any Any.Type) -> [(name: String, type: any Any.Type)]? {
        properties(of: type) { type in
            (type as? any SavedProperty.Type).map { ($0.isWrapper, savedType($0)) }
        }
    }

    /// The saved properties, under the names that they are stored by.
    package static func savedValues(of type: any Any.Type) -> [(name: String, type: any Any.Type)]? {
        let names = SavedNames(of: type)
        return savedProperties(of: type)?.map { (names.stored($0.name), $0.type) }
    }

    /// The lists of a view model of any style, with the types of their rows, in the same order; nil as there.
    package static func lists(of type: any Any.Type) -> [(name: String, type: any Any.Type)]? {
        properties(of: type) { type in
            (type as? any HostedRows.Type).map { (false, $0.rowType) }
        }
    }

    /// The durable singletons that a view model keeps, and those that they keep, and other objects of its that a container
    /// makes; each once, in the order in which they are found.
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

    /// The types of the stored properties; of an optional one, the type of its value.
    private static func fieldTypes(of type: any Any.Type) -> [any Any.Type] {
        var types: [any Any.Type] = []
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: classes)) { _, _, type, _ in
            types.append((type as? any OptionalValue.Type)?.wrappedType ?? type)
            return true
        }
        return types
    }

    /// Whether `lists(of:)` has any; looked up once for each type.
    package static func hasLists(_ type: any Any.Type) -> Bool {
        let id = ObjectIdentifier(type)
        if let known = known.withLock({ $0[id] }) { return known }
        let hasLists = lists(of: type)?.isEmpty == false
        known.withLock { $0[id] = hasLists }
        return hasLists
    }

    private static let known = Mutex<[ObjectIdentifier: Bool]>([:])

    /// The lists of an object, in the same order. They are constants, so that no isolation is needed to read them.
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

private protocol OptionalValue {
    static var wrappedType: any Any.Type { get }
}

extension Optional: OptionalValue {
    fileprivate static var wrappedType: any Any.Type { Wrapped.self }
}
