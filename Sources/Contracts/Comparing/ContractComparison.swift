/// Compares two contracts of one view model, as JSON, since the old one comes from a file.
///
/// A new version may accept more from clients and send less to them, but not the other way round. New kinds and values
/// break nobody: a client passes over those that it doesn't know. A state is read as a client's messages are, only that
/// members which are no longer there are passed over.
package struct ContractComparison {
    /// The side that writes a value.
    enum Side: Hashable {
        case client
        case server
        /// An older version of the server, for this one.
        ///
        /// - Parameter isStrict: members that are no longer there are refused.
        case store(isStrict: Bool)

        /// Whether the new version reads what was written before.
        var isRead: Bool { self != .server }
        var isStore: Bool { self == .store(isStrict: true) || self == .store(isStrict: false) }
    }

    /// A comparison of references, which is done once: it would go on for ever in a type that holds itself.
    struct Pair: Hashable {
        let old: String
        let new: String
        let side: Side
    }

    let old: JSONTree
    let new: JSONTree
    var compared: Set<Pair> = []
    /// What follows for stored sessions from a change that can't be read.
    var effectOnSessions = ContractChange.Effect.breakingSessions
    /// How such a change is made good.
    var advice: String?
    /// The shared objects that contracts of other view models have.
    let sharedElsewhere: Set<String>
    package private(set) var changes: [ContractChange] = []

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
        compareStates()
        // A version of a state is none of these objects, which may have the same types.
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
            // A change is reported for the first place that uses a type.
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

    /// Whether a value of one form is read where it may have one of several, or the other way round where it is sent.
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

    /// - Parameter name: one that is gone, and may be another one's stored name.
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
        // A reference to a reference is rare. The bound is for a file with a circle.
        for _ in 0..<16 {
            guard case .string(let reference)? = schema["$ref"], reference.hasPrefix("#/$defs/"),
                let definition = document["$defs"]?[JSONTree.definition(of: reference)]
            else { break }
            schema = definition
        }
        return schema
    }
}

/// A difference between the contract that clients and stored sessions know and that of the code.
package struct ContractChange: Equatable, Sendable {
    /// The effect on clients that were written before, and on sessions that were stored before.
    package enum Effect: Equatable, Sendable {
        /// Some clients stop working.
        case breaking
        /// Some sessions can't be read any more.
        case breakingSessions
        /// What was stored before is read by `savedState(from:version:)`.
        case migrated
        /// All of them go on working.
        case compatible
    }

    package let effect: Effect
    /// Such as `viewEvent selectOrder`, or `viewModelEvent orders: value[].name`.
    package let place: String
    /// Such as `"index" was removed`.
    package let what: String
    /// How sessions that are stored can be read all the same; nil for other effects.
    package let advice: String?

    package init(effect: Effect, place: String, what: String, advice: String? = nil) {
        self.effect = effect
        self.place = place
        self.what = what
        self.advice = advice
    }

    /// Those that come of a view model's end.
    ///
    /// - Parameter contract: the last one.
    package static func removal(of contract: JSONTree) -> [ContractChange] {
        let place = "view model"
        let removed = ContractChange(effect: .breaking, place: place, what: "is no longer registered")
        guard contract[JSONTree.stateMember] != nil else { return [removed] }
        let what = "is no longer registered, so that no stored session of it can go on"
        let advice = "where it has another name now, register it under this one, too, as long as sessions have it"
        return [removed, ContractChange(effect: .breakingSessions, place: place, what: what, advice: advice)]
    }
}
