import ViewModels

/// The stored values of one object that the sessions of a scene share.
struct StoredObject {
    /// The name and the text of each value, by the stored name of its property.
    private let values: [String: (name: String, text: [UInt8])]
    /// The text of the object's version; nil where none is stored.
    private let version: [UInt8]?

    /// - Parameter stored: the stored values of all objects, by their names.
    init(of type: any DurableSingleton.Type, in stored: [String: [UInt8]]) {
        version = stored[SharedNames.version(type.savedName)]
        var values: [String: (name: String, text: [UInt8])] = [:]
        for property in Set(stored.keys.compactMap { SharedNames.property($0, of: type.savedName) }) {
            guard let name = SharedNames(of: type, property).found(in: stored), let text = stored[name] else {
                continue
            }
            values[property] = (name, text)
        }
        self.values = values
    }

    /// The names of all its values.
    var names: [String] { values.values.map(\.name) }

    private var number: Int? { version.map { Int(String(decoding: $0, as: UTF8.self)) } ?? 1 }

    /// Whether the object was stored under another version, so that all of it is read by the code's own function.
    func isOlder(than type: any DurableSingleton.Type) -> Bool { !values.isEmpty && number != type.savedStateVersion }

    /// Gives an object its values back.
    ///
    /// - Returns: what the object doesn't read, under the names that it gives them. A value whose property is gone counts only
    ///   where the code's own function reads the state, and doesn't read that value.
    /// - Throws: an error, where they can't be read any more.
    func restore(_ type: any DurableSingleton.Type, _ properties: [NamedSavedProperty]) throws -> UnreadValues {
        guard let number else { throw SavedPropertyError(description: "the version that it was stored in isn't known") }
        let stored = values.map { SavedValue(name: $0.key, text: $0.value.text) }.sorted { $0.name < $1.name }
        if isOlder(than: type) {
            let (state, unread) = try Self.older(type, OlderProperties.text(of: stored), version: number)
            try OlderProperties.restore(state, stored, properties, of: TypeNames.qualified(type))
            let others = unread.filter { name in !properties.contains { $0.name == name } }
            let (names, members) = others.partitioned { values[$0] != nil }
            return UnreadValues(names: names, members: members.map { SharedNames.name(type.savedName, $0) })
        }
        do {
            let members = try stored.flatMap { try SavedText.restore($0, properties).unread }
            return UnreadValues(members: members.map { SharedNames.name(type.savedName, $0) })
        } catch let error as UnreadableState {
            throw SavedPropertyError(description: "\(error.reason); \(UnreadableState.advice(version: number))")
        }
    }

    private static func older<Object: DurableSingleton>(
        _ type: Object.Type, _ text: [UInt8], version: Int
    ) throws -> (state: SavedProperties, unread: [String]) {
        try OlderState<Object>.read(text, version: version)
    }

    /// Returns the names of the values that the object has read.
    ///
    /// - Parameter unread: as `restore(_:_:)` returned it.
    func read(
        by type: any DurableSingleton.Type, _ properties: [NamedSavedProperty], unread: UnreadValues
    ) -> [String] {
        let read =
            isOlder(than: type)
            ? values.filter { !unread.names.contains($0.key) }.map(\.value.name)
            : properties.compactMap { values[$0.name]?.name }
        return read + [SharedNames.version(type.savedName)]
    }

    /// Returns what is stored with the object's first values: its version, and an empty text for each value that they replace.
    func takenPlaceOf(
        by type: any DurableSingleton.Type, _ properties: [NamedSavedProperty], unread: UnreadValues
    ) -> [SavedValue] {
        let stays = Set(properties.map { SharedNames(of: type, $0.name).now })
        let gone = read(by: type, properties, unread: unread)
            .filter { !stays.contains($0) && !SharedNames.isVersion($0) }.sorted()
        let version = Array("\(type.savedStateVersion)".utf8)
        let isKnown = version == self.version || self.version == nil && type.savedStateVersion == 1
        return gone.map { SavedValue(name: $0, text: []) }
            + (isKnown ? [] : [SavedValue(name: SharedNames.version(type.savedName), text: version)])
    }
}

/// The names that a property of a singleton may have in the store.
struct SharedNames {
    let now: String
    /// The names that older servers used: the type, without or with its module, then a dot and the property.
    private let before: [String]
    private let withoutModule: String

    init(of type: any DurableSingleton.Type, _ property: String) {
        now = Self.name(type.savedName, property)
        // The type's own `savedName` may be the old name.
        withoutModule = "\(type.savedName).\(property)"
        before = [withoutModule, "\(TypeNames.qualified(type)).\(property)"]
    }

    static func name(_ object: String, _ property: String) -> String { "\(object)/\(property)" }

    /// Returns the name of an object's version, which is stored as a value beside those of its properties. Version 1 needn't be
    /// stored.
    static func version(_ object: String) -> String { name(object, "") }

    static func isVersion(_ name: String) -> Bool { name.last == "/" }

    /// Returns the property's name within the name of a stored value; nil where there is none.
    ///
    /// - Parameter object: the name of the object that the value may belong to. It may have a slash itself.
    static func property(_ name: String, of object: String) -> String? {
        let own = Self.name(object, "")
        if name.hasPrefix(own) { return name == own ? nil : String(name.dropFirst(own.count)) }
        guard let mark = name.firstIndex(of: "/") ?? name.lastIndex(of: ".") else { return nil }
        let property = name[name.index(after: mark)...]
        return property.isEmpty ? nil : String(property)
    }

    /// Returns the object's name within the name of a stored value; nil where there is none.
    static func object(_ name: String) -> String? {
        if let slash = name.firstIndex(of: "/") { return String(name[..<slash]) }
        return name.lastIndex(of: ".").map { TypeNames.withoutModules(name[..<$0]) }
    }

    /// Returns the name under which there is a value; nil where there is none, and where two modules had a type of this name.
    func found(in stored: [String: [UInt8]]) -> String? {
        if let name = ([now] + before).first(where: { stored[$0] != nil }) { return name }
        let moved = stored.keys.filter { TypeNames.withoutModules($0) == withoutModule }
        return moved.count == 1 ? moved.first : nil
    }
}
