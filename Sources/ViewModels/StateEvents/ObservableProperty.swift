/// A stored property whose value and changes can be sent: `@Observed` and `Dynamic`.
protocol ObservableProperty: Sendable {
    associatedtype Value: Sendable

    /// Whether this type is a property wrapper. Reflection finds such a property by the name of the wrapper's storage.
    static var isWrapper: Bool { get }

    var current: CurrentValue<Value> { get }
}

extension ObservableProperty {
    /// Calls `send` with the current value and then with each new one, on the thread that sets it.
    func events(named name: String, _ send: @escaping @Sendable (PropertyEvent) -> Void) -> Subscription {
        current.subscribeAndFire { send(PropertyEvent(name: name, value: $0)) }
    }

    /// Waits until every change so far has been sent.
    func settle() async {
        await current.changed.output.settle()
    }
}

extension Observed: ObservableProperty {
    package static var isWrapper: Bool { true }
}

extension Dynamic: ObservableProperty {
    package static var isWrapper: Bool { false }
}

/// One of an `ObservableViewModel`'s properties, with its name on the wire.
struct NamedProperty {
    let name: String
    let property: any ObservableProperty

    /// Returns all properties of a view model: superclasses first, and in order of declaration. Called in the view model's
    /// isolation.
    ///
    /// - Throws: `PropertyError`, where a property isn't `Encodable`, or two have the same name.
    static func all(of model: some ObservableViewModel) throws(PropertyError) -> [NamedProperty] {
        var mirrors: [Mirror] = []
        var next: Mirror? = Mirror(reflecting: model)
        while let mirror = next {
            mirrors.append(mirror)
            next = mirror.superclassMirror
        }
        var found: [NamedProperty] = []
        for (label, value) in mirrors.reversed().flatMap(\.children) {
            guard let property = value as? any ObservableProperty, let label else { continue }
            let named = try NamedProperty(property, label: label, of: "\(Swift.type(of: model))")
            guard !found.contains(where: { $0.name == named.name }) else {
                throw .ambiguous(property: named.name, of: "\(Swift.type(of: model))")
            }
            found.append(named)
        }
        return found
    }

    private init<Property: ObservableProperty>(
        _ property: Property, label: String, of model: String
    ) throws(PropertyError) {
        name = PropertyName.of(label: label, isWrapper: Property.isWrapper)
        self.property = property
        guard Property.Value.self is any Encodable.Type else {
            throw .notEncodable(property: name, of: model, type: "\(Property.Value.self)")
        }
    }

    func events(_ send: @escaping @Sendable (PropertyEvent) -> Void) -> Subscription {
        property.events(named: name, send)
    }
}

/// Derives the name of a stored property, in its source and on the wire, from its name in reflection.
enum PropertyName {
    /// Returns the property's name: `orders` for a wrapper's `_orders`. A raw identifier (SE-0451) is quoted in reflection, and
    /// its blanks, the only white space that it may have, are U+00A0.
    static func of(label: String, isWrapper: Bool) -> String {
        var name = label[...]
        let isQuoted = name.first == "`"
        if isQuoted { name = name.dropFirst().dropLast() }
        if isWrapper, name.first == "_" { name = name.dropFirst() }
        return isQuoted ? String(name.map { $0 == "\u{A0}" ? " " : $0 }) : String(name)
    }
}
