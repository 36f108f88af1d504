import JSON
import Synchronization
import ViewModels

/// Saves what a durable object has changed, and gives an object of a later life its state back.
final class ModelSaver: Sendable {
    /// What was saved last.
    private struct State {
        /// The counts of changes, property by property; empty before the first time.
        var counts: [Int] = []
        var text: [UInt8]?
        /// Of an older version, which this one has taken the place of.
        var gone: [String] = []
    }

    private let model: any DurableViewModel
    /// It has no `SavedState` of its own.
    private let savesProperties: Bool
    private let properties: [NamedSavedProperty]
    private let state = Mutex(State())
    let version: Int

    /// - Throws: `SavedPropertyError`. Called in the view model's isolation.
    init(of model: any DurableViewModel) throws {
        self.model = model
        (savesProperties, version) = Self.facts(about: model)
        properties = savesProperties ? try NamedSavedProperty.all(of: model) : []
    }

    private static func facts<Model: DurableViewModel>(about model: Model) -> (savesProperties: Bool, version: Int) {
        (Model.SavedState.self == SavedProperties.self, Model.savedStateVersion)
    }

    /// The parts of the state that have changed since the last call.
    ///
    /// - Throws: the error of the view model's `savedState`, or of a value that JSON can't express.
    nonisolated(nonsending) func changes() async throws -> [SavedValue] {
        let changes = savesProperties ? try changedProperties() : try await changedState()
        return state.withLock { state in
            guard !state.gone.isEmpty else { return changes }
            defer { state.gone = [] }
            return changes + state.gone.map { SavedValue(name: $0, text: []) }
        }
    }

    nonisolated(nonsending) private func changedState() async throws -> [SavedValue] {
        let text = try await Self.stateText(of: model)
        return state.withLock { state in
            guard state.text != text else { return [] }
            state.text = text
            return [SavedValue(name: "", text: text)]
        }
    }

    nonisolated(nonsending) private static func stateText<Model: DurableViewModel>(of model: Model) async throws
        -> [UInt8]
    {
        try SavedText.text(of: await model.savedState)
    }

    private func changedProperties() throws -> [SavedValue] {
        let before = state.withLock { $0.counts }
        // Before the values, so that one which changes meanwhile is saved again.
        let counts = properties.map(\.property.changeCount)
        var values: [SavedValue] = []
        for (index, named) in properties.enumerated() where before.isEmpty || before[index] != counts[index] {
            values.append(SavedValue(name: named.name, text: try SavedText.text(ofProperty: named.property)))
        }
        state.withLock { $0.counts = counts }
        return values
    }

    /// Gives the view model its state back.
    ///
    /// - Parameter version: the one that it was saved under.
    /// - Returns: the names of stored properties that it hasn't got any more. They stay in the store.
    /// - Throws: an error for the person who runs the server: the state isn't of this version of the code.
    nonisolated(nonsending) func restore(_ stored: [SavedValue], version: Int) async throws -> [String] {
        let values = stored.filter { !$0.text.isEmpty }
        let names = savesProperties ? properties.map(\.name) : [""]
        let others = values.map(\.name).filter { !names.contains($0) }
        guard version == self.version else {
            try await Self.restoreOlder(model, values, version: version, properties)
            state.withLock { $0.gone = others }
            return []
        }
        do {
            try await Self.restore(model, values, properties)
        } catch let error as UnreadableState {
            throw SavedPropertyError(description: "\(error.reason); \(UnreadableState.advice(version: version))")
        }
        state.withLock { state in
            state.counts = properties.map(\.property.changeCount)
            state.text = values.first { $0.name.isEmpty }?.text
        }
        return others
    }

    /// - Throws: `UnreadableState`, or the view model's own error.
    nonisolated(nonsending) private static func restore<Model: DurableViewModel>(
        _ model: Model, _ values: [SavedValue], _ named: [NamedSavedProperty]
    ) async throws {
        let whole = values.first { $0.name.isEmpty }?.text
        guard facts(about: model).savesProperties else {
            guard let whole else { throw UnreadableState(reason: "its state was saved property by property") }
            return try await model.restore(SavedText.decode(Model.SavedState.self, state: whole))
        }
        guard whole == nil else { throw UnreadableState(reason: "its state was saved as a whole, in a SavedState") }
        // A property that is no longer there has nothing to go on from.
        for value in values { _ = try SavedText.restore(value, named) }
        try await model.restore(SavedText.decode(Model.SavedState.self, Array("{}".utf8)))
    }

    nonisolated(nonsending) private static func restoreOlder<Model: DurableViewModel>(
        _ model: Model, _ values: [SavedValue], version: Int, _ named: [NamedSavedProperty]
    ) async throws {
        let text = values.first { $0.name.isEmpty }?.text ?? object(of: values)
        let older: OlderState<Model>
        do {
            older = try SavedText.decode(OlderState<Model>.self, OlderState<Model>.text(text, version: version))
        } catch let error as JSONCodingError {
            let place = error.path.steps.dropFirst().reduce(JSONPointer.root) { $0.appending($1) }
            let reason = JSONCodingError(path: place, reason: error.reason)
            throw SavedPropertyError(
                description: "savedState(from:version:) can't read version \(version): \(reason)")
        }
        let state = try older.state.get()
        if let properties = state as? SavedProperties {
            for (name, value) in properties.values {
                try restore(name, value, named, of: "\(Model.self)")
            }
        }
        try await model.restore(state)
    }

    /// A value that the view model's own code makes of an older state.
    private static func restore(
        _ name: String, _ value: any Encodable, _ named: [NamedSavedProperty], of owner: String
    ) throws {
        do {
            let text = try SavedText.text(of: value)
            guard try SavedText.restore(SavedValue(name: name, text: text), named) else {
                throw UnreadableState(reason: "\(owner) has no saved property '\(name)'")
            }
        } catch let error as UnreadableState {
            throw SavedPropertyError(
                description: "savedState(from:version:) gives a value that can't be taken: \(error.reason)")
        }
    }

    /// A state that was saved under another version.
    private struct OlderState<Model: DurableViewModel>: Decodable {
        private enum Key: CodingKey { case version, state }

        /// An error that isn't about the text is the view model's own, and told in its words.
        let state: Result<Model.SavedState, any Error>

        static func text(_ state: [UInt8], version: Int) -> [UInt8] {
            Array(#"{"version":\#(version),"state":"#.utf8) + state + Array("}".utf8)
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            let version = try values.decode(Int.self, forKey: .version)
            let decoder = try values.superDecoder(forKey: .state)
            do {
                state = .success(try Model.savedState(from: decoder, version: version))
            } catch  where !(error is JSONCodingError) && !(error is DecodingError) {
                state = .failure(error)
            }
        }
    }

    private static func object(of values: [SavedValue]) -> [UInt8] {
        JSONText { writer in
            writer.beginObject()
            for value in values {
                writer.key(value.name)
                writer.raw(value.text)
            }
            writer.endObject()
        }.bytes
    }
}

/// What was stored isn't of this version of the code.
struct UnreadableState: Error {
    let reason: String

    static func advice(version: Int) -> String {
        "raise savedStateVersion to \(version + 1), and read version \(version) in savedState(from:version:)"
    }
}

/// The JSON texts of saved values.
enum SavedText {
    static func text<Property: SavedProperty>(ofProperty property: Property) throws -> [UInt8] {
        // The type is asked, and not the value: a nil has no type of its own. Reflection has checked that it is Codable.
        guard let type = Property.Value.self as? any (Encodable & Sendable).Type else { return Array("null".utf8) }
        return try text(of: property.savedValue, as: type)
    }

    private static func text<Value: Encodable>(of value: some Sendable, as type: Value.Type) throws -> [UInt8] {
        guard let value = value as? Value else { return Array("null".utf8) }
        return try text(of: value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: [UInt8]) throws -> Value {
        try text.withUnsafeBytes { bytes in
            try ValueDecoder().decode(type, from: JSONValue(validating: bytes))
        }
    }

    static func text<Value: Encodable>(of value: Value) throws -> [UInt8] {
        var writer = JSONWriter()
        try ValueEncoder().encode(value, into: &writer)
        return writer.takeBytes()
    }

    /// - Throws: `UnreadableState`.
    static func decode<Value: Decodable>(_ type: Value.Type, state text: [UInt8]) throws -> Value {
        do {
            return try decode(type, text)
        } catch let error as JSONCodingError {
            throw UnreadableState(reason: "its saved state can't be read: \(error)")
        }
    }

    /// Sets a property to its saved value.
    ///
    /// - Returns: false where there is no such property.
    /// - Throws: `UnreadableState`.
    static func restore(_ value: SavedValue, _ properties: [NamedSavedProperty]) throws -> Bool {
        guard let named = properties.first(where: { $0.name == value.name }) else { return false }
        do {
            try restore(named.property, value.text)
            return true
        } catch let error as JSONCodingError {
            throw UnreadableState(reason: "the saved value of '\(value.name)' can't be read: \(error)")
        }
    }

    private static func restore<Property: SavedProperty>(_ property: Property, _ text: [UInt8]) throws {
        guard let type = Property.Value.self as? any Decodable.Type else { return }
        if let value = try decode(type, text) as? Property.Value { property.savedValue = value }
    }
}
