/// The comparison of lists, as clients read them. Their events aren't compared: they contain nothing but the lists' parts.
extension ContractComparison {
    mutating func compareLists() {
        let (oldLists, newLists) = (ListSchema.all(in: old), ListSchema.all(in: new))
        for list in oldLists {
            let place = Self.place(of: list)
            guard let other = newLists.first(where: { $0.name == list.name }) else {
                add(true, place, .server, "was removed")
                continue
            }
            compare(list.row, other.row, place.member("rows").element("[]"), .server)
            compareIdentity(list.identity, other.identity, place)
        }
        for list in newLists where !oldLists.contains(where: { $0.name == list.name }) {
            add(false, Self.place(of: list), .server, "was added")
        }
    }

    /// Compares the members that identify rows. Clients keep the selection and the scroll position by them.
    private mutating func compareIdentity(_ old: String?, _ new: String?, _ place: Place) {
        switch (old, new) {
        case (let old?, let new?) where old != new:
            add(true, place, .server, "the identity of its rows was \"\(old)\", is \"\(new)\"")
        case (let old?, nil): add(true, place, .server, "\"\(old)\" isn't the identity of its rows any more")
        case (nil, let new?): add(false, place, .server, "\"\(new)\" is the identity of its rows now")
        default: break
        }
    }

    private static func place(of list: ListSchema) -> Place { Place(part: "list", kind: list.name) }
}

extension JSONTree {
    /// The schema of the view model's events in a contract, without those of its lists.
    var eventsBesideLists: JSONTree? {
        let events = self["viewModelEvent"]
        let names = ListSchema.all(in: self).map { JSONTree.string($0.name) }
        guard !names.isEmpty, case .object(let keywords)? = events, case .array(let cases)? = events?["oneOf"] else {
            return events
        }
        let others = cases.filter { one in
            one["properties"]?["kind"]?["const"].map { !names.contains($0) } ?? true
        }
        guard !others.isEmpty else { return .boolean(false) }
        return .object(keywords.map { $0.name == "oneOf" ? Member($0.name, .array(others)) : $0 })
    }
}
