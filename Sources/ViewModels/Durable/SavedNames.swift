/// The stored names of a type's saved properties: those that its `CodingKeys` give, and else the properties' own names.
package struct SavedNames {
    /// The stored names that `CodingKeys` give, by the property's name.
    private var names: [String: String] = [:]
    /// Whether the keys can't be listed, as they aren't an enum like the compiler's.
    private var areUnknown = false

    /// - Parameter type: the type of a `DurableViewModel` or a `DurableSingleton`. All others have no `CodingKeys` for this.
    package init(of type: any Any.Type) {
        switch type {
        case let type as any DurableViewModel.Type: self.init(ofModel: type)
        case let type as any DurableSingleton.Type: self.init(ofSingleton: type)
        default: self.init(UnchangedNames.self)
        }
    }

    private init<Model: DurableViewModel>(ofModel type: Model.Type) { self.init(Model.CodingKeys.self) }

    private init<Singleton: DurableSingleton>(ofSingleton type: Singleton.Type) {
        self.init(Singleton.CodingKeys.self)
    }

    private init<Key: CodingKey>(_ keys: Key.Type) {
        // Checked first: most types have no keys, and this is done for each session that is made.
        guard keys != UnchangedNames.self else { return }
        guard let keys = KeyNames.all(of: keys) else {
            areUnknown = true
            return
        }
        names = Dictionary(keys.map { ($0.name, $0.key.stringValue) }) { first, _ in first }
    }

    package func stored(_ property: String) -> String { names[property] ?? property }

    /// Returns the name in Swift of the property with a stored name.
    package func property(_ stored: String) -> String { names.first { $0.value == stored }?.key ?? stored }

    /// Returns what is wrong with the keys, and what to do; nil where nothing is.
    ///
    /// - Parameter properties: the names of the saved properties.
    package func problem(with properties: [String], of owner: String) -> String? {
        if areUnknown { return "the CodingKeys of \(owner) must be an enum of strings, as the compiler makes them" }
        if let other = names.keys.filter({ !properties.contains($0) }).min() {
            return """
                the CodingKeys of \(owner) have a case '\(other)', and it has no saved property '\(other)': name the \
                saved properties that are stored under another name
                """
        }
        let stored = Dictionary(grouping: properties) { self.stored($0) }
        guard let (name, same) = stored.filter({ $0.value.count > 1 }).min(by: { $0.key < $1.key }) else { return nil }
        let list = same.sorted().map { "'\($0)'" }.joined(separator: " and ")
        return "\(list) of \(owner) are both stored as '\(name)': give one of them another name in its CodingKeys"
    }
}
