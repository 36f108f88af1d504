/// Compares two contracts of one view model, as JSON, since the old one comes from a file.
///
/// A new version may accept more from clients, and what it sends must still have the form that they know: a removed event kind,
/// value or member breaks clients, and so does a member that is sent less often than before. New event kinds, values and
/// optional members break nobody: a client ignores what it doesn't know. Stored state is compared as messages of clients are.
package struct ContractComparison {
    /// The side that writes a value.
    enum Side: Hashable {
        case client
        case server
        /// The store: an older version of the server wrote the value for this one.
        ///
        /// - Parameter isStrict: whether members that no longer exist are an error.
        case store(isStrict: Bool)

        /// Whether the server reads the value, so that the new version must read what was written before.
        var isRead: Bool { self != .server }
        var isStore: Bool { self == .store(isStrict: true) || self == .store(isStrict: false) }
    }

    /// A comparison of two references. Each is done once, since a type that contains itself would be compared for ever.
    struct Pair: Hashable {
        let old: String
        let new: String
        let side: Side
    }

    let old: JSONTree
    let new: JSONTree
    var compared: Set<Pair> = []
    /// The effect on stored sessions of a change that makes their state unreadable.
    var effectOnSessions = ContractChange.Effect.breakingSessions
    /// Advice on how such sessions can be read after all.
    var advice: String?
    /// The names of the shared objects that the contracts of other view models have.
    let sharedElsewhere: Set<String>
    package internal(set) var changes: [ContractChange] = []

    package init(old: JSONTree, new: JSONTree, sharedElsewhere: Set<String> = []) {
        self.old = old
        self.new = new
        self.sharedElsewhere = sharedElsewhere
        for part in ["arguments", "viewEvent"] {
            compare(old[part] ?? .boolean(true), new[part] ?? .boolean(true), Place(part: part), .client)
        }
        compare(
            old.eventsBesideLists ?? .boolean(true), new.eventsBesideLists ?? .boolean(true),
            Place(part: "viewModelEvent"), .server)
        compareLists()
        compareScopes()
        compareStates()
        // Compared again, since a shared object may use the same types as the state but has a version of its own.
        compared = []
        compareShared()
    }

    struct Place {
        let part: String
        var kind: String?
        var path = ""

        var text: String {
            let event = kind.map { "\(part) \($0)" } ?? part
            return path.isEmpty ? event : "\(event): \(path)"
        }

        func member(_ name: String) -> Place {
            Place(part: part, kind: kind, path: path.isEmpty ? name : "\(path).\(name)")
        }

        func element(_ mark: String) -> Place { Place(part: part, kind: kind, path: path + mark) }

        func named(_ kind: String) -> Place {
            self.kind == nil && path.isEmpty ? Place(part: part, kind: kind) : member(kind)
        }
    }
}

extension ContractComparison {
    mutating func compare(_ old: JSONTree, _ new: JSONTree, _ place: Place, _ side: Side) {
        if old["$ref"] != nil || new["$ref"] != nil {
            // A change of a type is reported only for the first place that uses the type.
            guard compared.insert(Pair(old: old.line, new: new.line, side: side)).inserted else {
                return
            }
        }
        let (old, new) = (resolved(old, in: self.old), resolved(new, in: self.new))
        guard old.withoutDescriptions != new.withoutDescriptions || old.hasReferences else { return }
        let (oldValue, oldIsNullable) = old.withoutNull
        let (newValue, newIsNullable) = new.withoutNull
        if oldIsNullable != newIsNullable {
            let breaks = side.isRead == oldIsNullable
            add(breaks, place, side, newIsNullable ? "may be null now" : "may not be null any more")
            return compare(oldValue, newValue, place, side)
        }
        if oldIsNullable, newIsNullable { return compare(oldValue, newValue, place, side) }
        compareValues(old, new, place, side)
    }

    private mutating func compareValues(_ old: JSONTree, _ new: JSONTree, _ place: Place, _ side: Side) {
        if old != new, let oldNumbers = SchemaNumbers(old), let newNumbers = SchemaNumbers(new),
            side.isRead
                ? newNumbers.contains(oldNumbers, exactly: side.isStore) : oldNumbers.contains(newNumbers)
        {
            add(false, place, side, Self.difference(old, new))
        } else if side.isRead ? isForm(old, of: new, side) : isForm(new, of: old, side) {
            add(false, place, side, Self.difference(old, new))
        } else if old.besidesStructure(side) != new.besidesStructure(side) {
            add(true, place, side, Self.difference(old, new))
        } else if let oldCases = old.cases, let newCases = new.cases {
            compareCases(oldCases, newCases, place, side)
        } else if let oldValues = old.values, let newValues = new.values {
            compareValueLists(oldValues, newValues, place, side)
        } else if let oldParts = old.parts, let newParts = new.parts, oldParts.count == newParts.count {
            for (index, (old, new)) in zip(oldParts, newParts).enumerated() {
                compare(old, new, place.element("[\(index)]"), side)
            }
        } else if let oldItems = old["items"], let newItems = new["items"] {
            compare(oldItems, newItems, place.element("[]"), side)
        } else if old.isMembers, new.isMembers {
            compareMembers(old, new, place, side)
        } else if let oldValue = old.dictionaryValue, let newValue = new.dictionaryValue,
            old["propertyNames"] == new["propertyNames"]
        {
            compare(oldValue, newValue, place.element("{}"), side)
        } else if old.withoutDescriptions != new.withoutDescriptions {
            add(true, place, side, Self.difference(old, new))
        }
    }

    /// Whether `form` is one of several alternatives that can replace each other: read as one of several new forms, or sent as
    /// one of several old ones.
    private func isForm(_ form: JSONTree, of several: JSONTree, _ side: Side) -> Bool {
        guard form["anyOf"] == nil, case .array(let forms)? = several["anyOf"] else { return false }
        return forms.contains { other in
            var comparison = self
            comparison.changes = []
            let (old, new) = side.isRead ? (form, other) : (other, form)
            comparison.compare(old, new, Place(part: ""), side)
            return comparison.changes.allSatisfy { $0.effect == .compatible }
        }
    }

    private static func difference(_ old: JSONTree, _ new: JSONTree) -> String {
        guard old.words == new.words else { return "was \(old.words), is \(new.words)" }
        return "was \(old.withoutDescriptions.line), is \(new.withoutDescriptions.line)"
    }

    private mutating func compareCases(
        _ old: [(String, JSONTree)], _ new: [(String, JSONTree)], _ place: Place, _ side: Side
    ) {
        for (kind, members) in old {
            if let other = new.first(where: { $0.0 == kind }) {
                if members.schedule != other.1.schedule {
                    add(false, place.named(kind), side, "is handled in another way: \(other.1.schedule.words)")
                }
                compareMembers(members, other.1, place.named(kind), side)
            } else {
                add(true, place.named(kind), side, "was removed", name: kind)
            }
        }
        for (kind, _) in new where !old.contains(where: { $0.0 == kind }) {
            add(false, place.named(kind), side, "was added")
        }
    }

    private mutating func compareValueLists(
        _ old: [JSONTree], _ new: [JSONTree], _ place: Place, _ side: Side
    ) {
        for value in old where !new.contains(value) { add(true, place, side, "the value \(value.line) was removed") }
        for value in new where !old.contains(value) { add(false, place, side, "the value \(value.line) was added") }
    }

    private mutating func compareMembers(_ old: JSONTree, _ new: JSONTree, _ place: Place, _ side: Side) {
        if old.besidesStructure(side) != new.besidesStructure(side) {
            add(true, place, side, Self.difference(old, new))
        }
        let (oldMembers, newMembers) = (old.properties, new.properties)
        for member in oldMembers {
            guard let other = newMembers.first(where: { $0.name == member.name }) else {
                let manner = side == .store(isStrict: false) ? ": what is stored of it is read by nobody" : ""
                add(true, place, side, "\"\(member.name)\" was removed\(manner)", name: member.name)
                continue
            }
            let (was, isNow) = (old.requires(member.name), new.requires(member.name))
            if was != isNow {
                let what = isNow ? "is required now" : "is optional now"
                add(side.isRead == isNow, place.member(member.name), side, what)
            }
            compare(member.value, other.value, place.member(member.name), side)
        }
        for member in newMembers where !oldMembers.contains(where: { $0.name == member.name }) {
            let isRequired = new.requires(member.name)
            let breaks = side.isRead && isRequired
            let manner = breaks ? ", and is required" : isRequired ? "" : ", and is optional"
            add(breaks, place, side, "\"\(member.name)\" was added\(manner): \(member.value.words)")
        }
    }

    /// Adds a change.
    ///
    /// - Parameter name: the name of a missing member, which may have been renamed: the advice tells how to keep its stored
    ///   name.
    mutating func add(_ breaks: Bool, _ place: Place, _ side: Side, _ what: String, name: String? = nil) {
        let effect: ContractChange.Effect = !breaks ? .compatible : side.isStore ? effectOnSessions : .breaking
        var advice = effect == .breakingSessions ? advice : nil
        if let name, let others = advice {
            advice = "where it has another name now, give it \"\(name)\" in CodingKeys; else \(others)"
        }
        changes.append(ContractChange(effect: effect, place: place.text, what: what, advice: advice))
    }

    private func resolved(_ schema: JSONTree, in document: JSONTree) -> JSONTree {
        var schema = schema
        // A reference to a reference is rare. The limit is for a file whose references form a circle.
        for _ in 0..<16 {
            guard case .string(let reference)? = schema["$ref"], reference.hasPrefix("#/$defs/"),
                let definition = document["$defs"]?[JSONTree.definition(of: reference)]
            else { break }
            schema = definition
        }
        return schema
    }
}

/// A difference between the contract that clients and stored sessions know and the contract of the code.
package struct ContractChange: Equatable, Sendable {
    /// The effect on clients that were written before, and on sessions that were stored before.
    package enum Effect: Equatable, Sendable {
        /// Some clients stop working.
        case breaking
        /// Some stored sessions can't be read any more.
        case breakingSessions
        /// Stored sessions must be read by `savedState(from:version:)`.
        case migrated
        /// All clients and stored sessions go on working.
        case compatible
    }

    package let effect: Effect
    /// The place of the change, such as `viewEvent selectOrder`, or `viewModelEvent orders: value[].name`.
    package let place: String
    /// The change in words, such as `"index" was removed`.
    package let what: String
    /// Advice on how stored sessions can be read after all; nil for other effects.
    package let advice: String?

    package init(effect: Effect, place: String, what: String, advice: String? = nil) {
        self.effect = effect
        self.place = place
        self.what = what
        self.advice = advice
    }

    /// Returns the changes that follow if a view model is no longer registered.
    ///
    /// - Parameter contract: the view model's last contract.
    package static func removal(of contract: JSONTree) -> [ContractChange] {
        let place = "view model"
        let removed = ContractChange(effect: .breaking, place: place, what: "is no longer registered")
        guard contract[JSONTree.stateMember] != nil else { return [removed] }
        let what = "is no longer registered, so that no stored session of it can go on"
        let advice = "where it has another name now, register it under this one, too, as long as sessions have it"
        return [removed, ContractChange(effect: .breakingSessions, place: place, what: what, advice: advice)]
    }
}
