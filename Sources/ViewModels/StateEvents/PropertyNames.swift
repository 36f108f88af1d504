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
            // Asking for a class first takes no search: the first question for a protocol goes through the whole program.
            type is AnyClass ? (type as? any HostedRows.Type).map { (false, $0.rowType) } : nil
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

    /// What a session has to look for in a view model.
    package struct Found: OptionSet, Sendable {
        package let rawValue: Int
        /// `lists(of:)` has some.
        package static let lists = Found(rawValue: 1)
        /// `shared(in:)` has some.
        package static let shared = Found(rawValue: 2)
        /// It is a `TitledViewModel`.
        package static let title = Found(rawValue: 4)
        /// It is a `PresenceViewModel`.
        package static let presence = Found(rawValue: 8)

        package init(rawValue: Int) {
            self.rawValue = rawValue
        }
    }

    /// Returns what a type and its properties have. It is looked up once for each type.
    package static func found(in type: any Any.Type) -> Found {
        let id = ObjectIdentifier(type)
        if let known = known.withLock({ $0[id] }) { return known }
        var found: Found = lists(of: type)?.isEmpty == false ? .lists : []
        let shared = properties(of: type) { $0 is AnyClass && $0 is any AnyShared.Type ? (false, $0) : nil }
        if shared?.isEmpty == false { found.insert(.shared) }
        if type is any TitledViewModel.Type { found.insert(.title) }
        if type is any PresenceViewModel.Type { found.insert(.presence) }
        known.withLock { [found] in $0[id] = found }
        return found
    }

    private static let known = Mutex<[ObjectIdentifier: Found]>([:])

    /// Returns the lists of an object, in the order of `lists(of:)`.
    package static func lists(in object: some AnyObject) -> [(name: String, rows: any HostedRows)] {
        var lists: [(name: String, rows: any HostedRows)] = []
        forEachConstant(of: object, where: { $0 is any HostedRows.Type }) { label, value in
            guard let rows = value as? any HostedRows else { return }
            lists.append((PropertyName.of(label: label, isWrapper: false), rows))
        }
        return lists
    }

    /// Returns the Views that a view model has of shared ones, in order of declaration.
    package static func shared(in object: some AnyObject) -> [any AnyShared] {
        var shared: [any AnyShared] = []
        forEachConstant(of: object, where: { $0 is any AnyShared.Type }) { _, value in
            if let value = value as? any AnyShared { shared.append(value) }
        }
        return shared
    }

    /// Calls `body` with the names and values of properties of certain types, which are final classes. They are constants, so
    /// that no isolation is needed to read them.
    private static func forEachConstant(
        of object: some AnyObject, where isWanted: (any Any.Type) -> Bool, _ body: (String, AnyObject) -> Void
    ) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        _ = _forEachField(of: type(of: object), options: _EachFieldOptions(rawValue: classes)) {
            label, offset, type, _ in
            if isWanted(type) {
                // A stored reference of a final class, at the place that the compiler says.
                let reference = base.load(fromByteOffset: offset, as: UnsafeRawPointer.self)
                body(String(cString: label), Unmanaged<AnyObject>.fromOpaque(reference).takeUnretainedValue())
            }
            return true
        }
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
