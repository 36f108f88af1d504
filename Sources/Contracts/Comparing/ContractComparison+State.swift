import ViewModels

/// What the code reads of sessions that an older version has stored.
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

    /// Arguments are stored as they were given, and read when a session is made again. No version goes with them.
    private mutating func compareArguments() {
        advice = "arguments have no version: what is new must be optional, and what is gone must stay"
        let arguments = "arguments"
        compare(
            old[arguments] ?? .boolean(true), new[arguments] ?? .boolean(true), Place(part: "stored \(arguments)"),
            .store(isStrict: true))
        if let oldValue = old[JSONTree.savedArgumentsMember], let newValue = new[JSONTree.savedArgumentsMember] {
            compare(oldValue, newValue, Place(part: JSONTree.savedArgumentsMember), Self.store)
        }
    }

    private mutating func compare(state oldState: StateSchema, with newState: StateSchema) {
        let (oldVersion, newVersion) = (oldState.version, newState.version)
        if newVersion < oldVersion {
            advice = "raise it to \(oldVersion + 1), and read version \(oldVersion) in savedState(from:version:)"
            add(true, Self.state, Self.store, "savedStateVersion went down from \(oldVersion) to \(newVersion)")
        } else {
            advice =
                "raise savedStateVersion to \(oldVersion + 1), and read version \(oldVersion) in savedState(from:version:)"
        }
        if newVersion > oldVersion { effectOnSessions = .migrated }
        compareForms(oldState, newState)
        guard newVersion > oldVersion else { return }
        add(true, Self.state, Self.store, "savedState(from:version:) reads version \(oldVersion)")
    }

    /// They have no version.
    mutating func compareShared() {
        effectOnSessions = .breakingSessions
        let (oldShared, newShared) = (Self.shared(in: old), Self.shared(in: new))
        for object in oldShared {
            let place = Place(part: JSONTree.sharedMember, kind: object.name)
            if let other = newShared.first(where: { Self.isStored($0.name, as: object.name) }) {
                advice = "a shared object has no version: save the new form as a property of another name"
                compare(object.value, other.value, place, Self.store)
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

    /// Older contracts, and older servers, named an object by its type with the module.
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
