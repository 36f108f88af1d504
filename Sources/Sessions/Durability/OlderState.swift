import JSON
import ViewModels

/// State that was stored under another version, as the code's own `savedState(from:version:)` reads it.
struct OlderState<Owner: VersionedState>: Decodable {
    private enum Key: CodingKey { case version, state }
    private enum NoKey: CodingKey {}

    /// The state, or the code's own error, which is told in its words. Errors about the text are thrown at once.
    private let state: Result<Owner.SavedState, any Error>

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let version = try values.decode(Int.self, forKey: .version)
        let decoder = try values.superDecoder(forKey: .state)
        // Asks for no member, so that what the code's own function doesn't look at counts as unread.
        _ = try? decoder.container(keyedBy: NoKey.self)
        do {
            state = .success(try Owner.savedState(from: decoder, version: version))
        } catch  where !(error is JSONCodingError) && !(error is DecodingError) {
            state = .failure(error)
        }
    }

    /// - Returns: the state, and the members that nothing reads, such as `owner/age`.
    /// - Throws: `SavedPropertyError`, or the code's own error.
    static func read(_ text: [UInt8], version: Int) throws -> (state: Owner.SavedState, unread: [String]) {
        let older: Self
        var unread: [JSONPointer] = []
        do {
            let whole = Array(#"{"version":\#(version),"state":"#.utf8) + text + Array("}".utf8)
            older = try SavedText.decode(Self.self, whole, unread: &unread)
        } catch let error as JSONCodingError {
            let place = error.path.steps.dropFirst().reduce(JSONPointer.root) { $0.appending($1) }
            let reason = JSONCodingError(path: place, reason: error.reason)
            throw SavedPropertyError(
                description: "savedState(from:version:) can't read version \(version): \(reason)")
        }
        return (try older.state.get(), unread.map { $0.steps.dropFirst().joined(separator: "/") })
    }
}

/// The saved properties of an older version.
enum OlderProperties {
    static func text(of values: [SavedValue]) -> [UInt8] {
        JSONText { writer in
            writer.beginObject()
            for value in values {
                writer.key(value.name)
                writer.raw(value.text)
            }
            writer.endObject()
        }.bytes
    }

    /// Sets properties to what the code's own function has made of older ones. Properties that it doesn't name get their stored
    /// values.
    ///
    /// - Parameter stored: the stored values, by their stored names.
    static func restore(
        _ state: SavedProperties, _ stored: [SavedValue], _ properties: [NamedSavedProperty], of owner: String
    ) throws {
        for (name, value) in state.values {
            do {
                guard let named = properties.first(where: { $0.propertyName == name }) else {
                    throw UnreadableState(reason: "\(owner) has no saved property '\(name)'")
                }
                let text = try SavedText.text(of: value)
                _ = try SavedText.restore(SavedValue(name: named.name, text: text), properties)
            } catch let error as UnreadableState {
                throw SavedPropertyError(
                    description: "savedState(from:version:) gives a value that can't be taken: \(error.reason)")
            }
        }
        let others = properties.filter { state.values[$0.propertyName] == nil }
        do {
            for value in stored { _ = try SavedText.restore(value, others) }
        } catch let error as UnreadableState {
            throw SavedPropertyError(
                description: "savedState(from:version:) gives no value for a property of another form: \(error.reason)")
        }
    }
}

/// Arguments that were stored under another version.
package enum OlderArguments {
    /// The version that arguments of this type are stored under.
    package static func version(of type: any Any.Type) -> Int {
        (type as? any DurableArguments.Type)?.savedStateVersion ?? 1
    }

    /// Reads arguments of another version. Nil where they are of this version.
    ///
    /// - Throws: an error, where this code can't read the arguments.
    static func read<Arguments>(_ type: Arguments.Type, _ text: [UInt8], version: Int) throws -> Arguments? {
        guard version != self.version(of: type) else { return nil }
        guard let type = type as? any DurableArguments.Type else {
            throw UnknownStateVersion(version: version, current: 1, isOfArguments: true)
        }
        return try readOlder(type, text, version) as? Arguments
    }

    private static func readOlder<Arguments: DurableArguments>(
        _ type: Arguments.Type, _ text: [UInt8], _ version: Int
    ) throws -> any Sendable {
        // They stay stored as they were given, with all that this code doesn't read.
        try OlderState<Arguments>.read(text, version: version).state
    }
}
