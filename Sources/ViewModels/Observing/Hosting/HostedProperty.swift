/// One of an `ObservableViewModel`'s properties, as a host sends it.
struct HostedProperty {
    let name: String
    let property: any HostableProperty

    /// All of them: superclasses first, and in order of declaration. Called where the view model's stored properties may be
    /// read.
    static func all(of model: some ObservableViewModel) throws(PropertyError) -> [HostedProperty] {
        var mirrors: [Mirror] = []
        var next: Mirror? = Mirror(reflecting: model)
        while let mirror = next {
            mirrors.append(mirror)
            next = mirror.superclassMirror
        }
        var found: [HostedProperty] = []
        for (label, value) in mirrors.reversed().flatMap(\.children) {
            guard let property = value as? any HostableProperty, let label else { continue }
            let hosted = try HostedProperty(property, label: label, of: "\(Swift.type(of: model))")
            guard !found.contains(where: { $0.name == hosted.name }) else {
                throw .ambiguous(property: hosted.name, of: "\(Swift.type(of: model))")
            }
            found.append(hosted)
        }
        return found
    }

    private init<Property: HostableProperty>(
        _ property: Property, label: String, of model: String
    ) throws(PropertyError) {
        name = PropertyName.of(label: label, Property.self)
        self.property = property
        guard Property.Value.self is any Encodable.Type else {
            throw .notEncodable(property: name, of: model, type: "\(Property.Value.self)")
        }
    }

    func events(_ send: @escaping @Sendable (PropertyEvent) -> Void) -> Subscription {
        property.events(named: name, send)
    }
}
