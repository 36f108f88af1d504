import ViewModels

/// The comparison of stored state: whether the new code can read the sessions that the old code has stored.
extension ContractComparison {
    private static let sessions = Place(part: "stored sessions")
    private static let state = Place(part: JSONTree.stateMember)
    private static let store = Side.store(isStrict: false)

    mutating func compareStates() {
        switch (StateSchema(in: old), StateSchema(in: new)) {
        case (nil, nil): break
        case (nil, _?): add(false, Self.sessions, Self.store, "outlive their process from now on")
        case (_?, nil):
            advice = "conform to DurableViewModel again"
            add(true, Self.sessions, Self.store, "can't go on, since the view model isn't durable any more")
        case (let oldState?, let newState?):
            compareArguments()
            compare(state: oldState, with: newState)
        }
    }

    /// Compares stored arguments. They are stored as they were given, and read when a session is restored.
    private mutating func compareArguments() {
        let (arguments, place) = ("arguments", Place(part: "stored arguments"))
        let stored = (
            old: VersionedSchema(old[JSONTree.savedArgumentsMember]),
            new: VersionedSchema(new[JSONTree.savedArgumentsMember])
        )
        compareVersions(
            stored.old.version, stored.new.version, place,
            conform: stored.new.version == 1 ? "conform their type to DurableArguments, " : ""
        ) { comparison in
            comparison.compare(
                comparison.old[arguments] ?? .boolean(true), comparison.new[arguments] ?? .boolean(true), place,
                .store(isStrict: true))
            if let oldForm = stored.old.form, let newForm = stored.new.form {
                comparison.compare(oldForm, newForm, Place(part: JSONTree.savedArgumentsMember), Self.store)
            }
        }
    }

    /// Compares two versions of a stored form, with advice on how to make up for a change.
    ///
    /// If the version is the same, each change of the form breaks sessions. A higher version migrates them, and the report says
    /// what must be read. A lower version breaks them.
    ///
    /// - Parameters:
    ///   - conform: the first part of the advice, which names a protocol for the type to conform to; may be empty.
    ///   - compareForms: compares the two forms themselves.
    private mutating func compareVersions(
        _ old: Int, _ new: Int, _ place: Place, conform: String = "", _ compareForms: (inout Self) -> Void
    ) {
        advice = "\(conform)raise savedStateVersion to \(old + 1), and read version \(old) in savedState(from:version:)"
        if new < old { add(true, place, Self.store, "savedStateVersion went down from \(old) to \(new)") }
        effectOnSessions = .breakingSessions
        guard new > old else { return compareForms(&self) }
        // Forms without a new version may use the same types, so what was compared here must be compared again for them.
        let before = compared
        effectOnSessions = .migrated
        compareForms(&self)
        add(true, place, Self.store, "savedState(from:version:) has to read version \(old)")
        effectOnSessions = .breakingSessions
        compared = before
    }

    private mutating func compare(state oldState: StateSchema, with newState: StateSchema) {
        compareVersions(oldState.version, newState.version, Self.state) { $0.compareForms(oldState, newState) }
    }

    mutating func compareShared() {
        effectOnSessions = .breakingSessions
        let (oldShared, newShared) = (Self.shared(in: old), Self.shared(in: new))
        for object in oldShared {
            let place = Place(part: JSONTree.sharedMember, kind: object.name)
            if let other = newShared.first(where: { Self.isStored($0.name, as: object.name) }) {
                let (oldValue, newValue) = (VersionedSchema(object.value), VersionedSchema(other.value))
                compareVersions(oldValue.version, newValue.version, place) { comparison in
                    comparison.compare(oldValue.form ?? .object([]), newValue.form ?? .object([]), place, Self.store)
                }
            } else if sharedElsewhere.contains(where: { Self.isStored($0, as: object.name) }) {
                add(false, place, Self.store, "was removed: other view models have it")
            } else {
                let name = TypeNames.withoutModules(object.name)
                advice = "where its type has another name now, give it static let savedName = \"\(name)\""
                add(true, place, Self.store, "was removed: what is stored of it is read by nobody")
            }
        }
        for object in newShared where !oldShared.contains(where: { Self.isStored(object.name, as: $0.name) }) {
            add(false, Place(part: JSONTree.sharedMember, kind: object.name), Self.store, "was added")
        }
    }

    /// Whether `name` is the stored name of an old object. Older servers named an object by its type with the module.
    private static func isStored(_ name: String, as old: String) -> Bool {
        name == old || name == TypeNames.withoutModules(old)
    }

    private static func shared(in document: JSONTree) -> [JSONTree.Member] {
        if case .object(let members)? = document[JSONTree.sharedMember] { members } else { [] }
    }

    private mutating func compareForms(_ oldState: StateSchema, _ newState: StateSchema) {
        guard oldState.isWhole == newState.isWhole else {
            let words = [oldState, newState].map {
                $0.isWhole ? "as a whole, in a SavedState" : "property by property"
            }
            return add(true, Self.state, Self.store, "was saved \(words[0]), is saved \(words[1])")
        }
        compare(oldState.form, newState.form, Self.state, Self.store)
    }
}
