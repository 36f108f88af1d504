import JSON

/// The members of an object, for looking up many: of duplicates the last counts.
struct ObjectMembers {
    /// Up to here a look at each is faster than a dictionary.
    private static let maximumScanned = 8

    private(set) var all: [(name: JSONKey, value: JSONValue)] = []
    /// Where each name stands last.
    private var places: [ScalarString: Int] = [:]

    init(_ object: JSONValue) {
        object.forEachMember { all.append(($0, $1)) }
        guard all.count > Self.maximumScanned else { return }
        for (place, member) in all.enumerated() { places[ScalarString(member.name.string())] = place }
    }

    /// Where the member that counts stands in `all`.
    ///
    /// - Parameter hint: where it may well be.
    func place(of name: JSONKey, hint: Int) -> Int? {
        guard all.count > Self.maximumScanned else { return all.lastIndex { $0.name == name } }
        if places.count == all.count, hint < all.count, all[hint].name == name { return hint }
        return places[ScalarString(name.string())]
    }
}
