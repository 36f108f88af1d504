import JSON
import Synchronization
import ViewModels

/// Saves what a durable object has changed, and gives an object of a later life its state back.
final class ModelSaver: Sendable {
    /// What was saved last.
    private struct State {
        /// The counts of changes, property by property; empty before the first time.
        var counts: [Int] = []
        /// The texts of properties with objects in them, by index: a change of such an object doesn't set the property.
        var texts: [Int: [UInt8]] = [:]
        /// The text of the view model's `SavedState`.
        var text: [UInt8]?
        /// The names of an older version's values, which are removed from the store, as those of this version replace them.
        var gone: [String] = []
    }

    private let model: any DurableViewModel
    /// Whether the view model has no `SavedState` of its own.
    private let savesProperties: Bool
    private let properties: [NamedSavedProperty]
    private let state = Mutex(State())
    let version: Int

    /// Finds what is to be saved. Called in the view model's isolation.
    ///
    /// - Throws: `SavedPropertyError`.
    init(of model: any DurableViewModel) throws {
        self.model = model
        (savesProperties, version) = Self.facts(about: model)
        properties = savesProperties ? try NamedSavedProperty.all(of: model) : []
    }

    private static func facts<Model: DurableViewModel>(about model: Model) -> (savesProperties: Bool, version: Int) {
        (Model.SavedState.self == SavedProperties.self, Model.savedStateVersion)
    }

    /// Returns the parts of the state that have changed since the last call.
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

    /// Returns whether the state differs from what `changes()` has returned last. A state that can't be saved differs, too.
    ///
    /// - Parameter isolation: the view model's.
    func hasChanges(in isolation: isolated (any Actor)?) async -> Bool {
        do {
            if savesProperties { return try !readChangedProperties().values.isEmpty }
            return try await Self.stateText(of: model) != state.withLock { $0.text }
        } catch {
            return true
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
        let changes = try readChangedProperties()
        state.withLock { ($0.counts, $0.texts) = (changes.counts, changes.texts) }
        return changes.values
    }

    /// - Returns: the values that have changed, and the counts and texts to keep once these are saved.
    private func readChangedProperties() throws -> (values: [SavedValue], counts: [Int], texts: [Int: [UInt8]]) {
        let before = state.withLock { $0.counts }
        var texts = state.withLock { $0.texts }
        // Counted before the values are read, so that a property which changes meanwhile is saved again.
        let counts = properties.map(\.property.changeCount)
        var values: [SavedValue] = []
        for (index, named) in properties.enumerated() {
            let isSet = before.isEmpty || before[index] != counts[index]
            guard isSet || texts[index] != nil else { continue }
            let text = try SavedText.text(ofProperty: named.property)
            guard isSet || text.bytes != texts[index] else { continue }
            values.append(SavedValue(name: named.name, text: text.bytes))
            texts[index] = text.hasObjects ? text.bytes : nil
        }
        return (values, counts, texts)
    }

    /// Gives the view model its state back.
    ///
    /// - Parameter version: the version that the state was saved under.
    /// - Returns: what the view model doesn't read; and whether it has values that aren't stored, such as the first value of a
    ///   property that is new in the code. The next call of `changes()` has them.
    /// - Throws: an error for the person who runs the server: the state isn't of this version of the code.
    nonisolated(nonsending) func restore(_ stored: [SavedValue], version: Int) async throws
        -> (unread: UnreadValues, hasFirstValues: Bool)
    {
        let values = stored.filter { !$0.text.isEmpty }
        let names = savesProperties ? properties.map(\.name) : [""]
        let others = values.map(\.name).filter { !names.contains($0) }
        guard version == self.version else {
            let unread = try await Self.restoreOlder(model, values, version: version, properties)
            let (whole, members) = unread.partitioned { others.contains($0) }
            state.withLock { $0.gone = others.filter { !whole.contains($0) } }
            let isRead = { (name: String) in !names.contains(name) }
            return (UnreadValues(names: whole, members: members.filter(isRead)), true)
        }
        let members: [String]
        let objects: Set<String>
        do {
            (members, objects) = try await Self.restore(model, values, properties)
        } catch let error as UnreadableState {
            throw SavedPropertyError(description: "\(error.reason); \(UnreadableState.advice(version: version))")
        }
        let whole = values.first { $0.name.isEmpty }?.text
        let hasFirstValues =
            if savesProperties {
                !properties.allSatisfy { named in values.contains { $0.name == named.name } }
            } else {
                try await Self.stateText(of: model) != whole
            }
        let texts = try properties.map { named in
            objects.contains(named.name) ? try SavedText.text(ofProperty: named.property).bytes : nil
        }
        state.withLock { state in
            for (index, text) in texts.enumerated() { state.texts[index] = text }
            state.counts = properties.map { named in
                values.contains { $0.name == named.name } ? named.property.changeCount : Self.unsaved
            }
            state.text = whole
        }
        return (UnreadValues(names: others, members: members), hasFirstValues)
    }

    /// A count that no property has, so that its value is saved.
    private static let unsaved = -1

    /// Restores a view model from values of this version.
    ///
    /// - Returns: the members that nothing reads, and the properties with objects in them.
    /// - Throws: `UnreadableState`, or the view model's own error.
    nonisolated(nonsending) private static func restore<Model: DurableViewModel>(
        _ model: Model, _ values: [SavedValue], _ named: [NamedSavedProperty]
    ) async throws -> (unread: [String], objects: Set<String>) {
        var unread: [JSONPointer] = []
        let whole = values.first { $0.name.isEmpty }?.text
        guard facts(about: model).savesProperties else {
            guard let whole else { throw UnreadableState(reason: "its state was saved property by property") }
            try await model.restore(SavedText.decode(Model.SavedState.self, state: whole, unread: &unread))
            return (unread.map { $0.steps.joined(separator: "/") }, [])
        }
        guard whole == nil else { throw UnreadableState(reason: "its state was saved as a whole, in a SavedState") }
        // A value whose property is no longer there is passed over.
        let restored = try values.map { (name: $0.name, found: try SavedText.restore($0, named)) }
        try await model.restore(SavedText.decode(Model.SavedState.self, Array("{}".utf8), unread: &unread))
        return (restored.flatMap(\.found.unread), Set(restored.filter(\.found.hasObjects).map(\.name)))
    }

    /// Restores a view model from values of another version.
    ///
    /// - Returns: what the code's own function doesn't read.
    nonisolated(nonsending) private static func restoreOlder<Model: DurableViewModel>(
        _ model: Model, _ values: [SavedValue], version: Int, _ named: [NamedSavedProperty]
    ) async throws -> [String] {
        let text = values.first { $0.name.isEmpty }?.text ?? OlderProperties.text(of: values)
        let (state, unread) = try OlderState<Model>.read(text, version: version)
        if let state = state as? SavedProperties {
            try OlderProperties.restore(state, values, named, of: "\(Model.self)")
        }
        try await model.restore(state)
        return unread
    }
}

/// The error for stored state that this version of the code can't read.
struct UnreadableState: Error {
    let reason: String

    static func advice(version: Int) -> String {
        "raise savedStateVersion to \(version + 1), and read version \(version) in savedState(from:version:)"
    }
}
