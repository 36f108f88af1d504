/// Stored values of a session that nothing reads, for a warning in the log.
struct UnreadValues {
    /// The names of whole values, which stay in the store.
    var names: [String] = []
    /// The paths of unread members in values that are read, such as `owner/age`. They are lost when the value is next stored.
    var members: [String] = []

    /// Warns of the values, where there are any.
    ///
    /// - Parameter older: the version that the state was stored under, where the code's own function read it.
    func warn(of session: Session, older: Int? = nil) {
        if !names.isEmpty { session.context.warn(Self.ofState(names, of: session, older)) }
        if !members.isEmpty { session.context.warn(Self.ofMembers(members, of: session)) }
    }
}

// Words for the log.
extension UnreadValues {
    private static func ofState(_ names: [String], of session: Session, _ older: Int?) -> String {
        let subject = subject(names, of: session, "read by nothing")
        if let older {
            return """
                \(subject): savedState(from:version:) reads version \(older) without \(names.count == 1 ? "it" : "them"), and the \
                view model has no such saved property
                """
        }
        return """
            \(subject): its view model has no such saved property. Where one has another name now, say the old one in its \
            CodingKeys: case NEW = "\(names.first ?? "OLD")"
            """
    }

    static func ofMembers(_ members: [String], of session: Session) -> String {
        """
        \(subject(members, of: session, "read by nothing", stays: false)) with the next change of what \
        \(members.count == 1 ? "it is" : "they are") part of. Where a member has another name or place now, read the old one: \
        in CodingKeys, in its type's own init(from:), or in savedState(from:version:)
        """
    }

    static func ofShared(_ names: [String], of session: Session) -> String {
        let object = names.first.flatMap(SharedNames.object) ?? "NAME"
        return """
            \(subject(names, of: session, "not read so far")): no shared object that its view models have made is stored so. \
            One that a handler makes later reads it then. Where the object's type has another name now, give it \
            static let savedName = "\(object)"; where a property has, say the old one in its CodingKeys
            """
    }

    private static func subject(
        _ names: [String], of session: Session, _ reading: String, stays: Bool = true
    ) -> String {
        let shown = names.prefix(maximumShown).map { "'\($0)'" }
        let rest = shown.count < names.count ? " and \(names.count - shown.count) more" : ""
        let list = shown.joined(separator: ", ") + rest
        let end =
            switch (stays, names.count == 1) {
            case (true, true): "stays in the store"
            case (true, false): "stay in the store"
            case (false, true): "goes from the store"
            case (false, false): "go from the store"
            }
        // The beginning of its key, as for `sessions show`: the whole is a secret.
        return """
            \(session.viewModelName): \(list) of session \(session.key.prefix(8))… \(names.count == 1 ? "is" : "are") stored \
            and \(reading), and \(end)
            """
    }

    private static let maximumShown = 10
}

extension [String] {
    /// Returns the strings that belong, and the others.
    func partitioned(_ belongs: (String) -> Bool) -> ([String], [String]) {
        (filter(belongs), filter { !belongs($0) })
    }
}
