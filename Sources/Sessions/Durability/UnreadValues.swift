/// Words for the log on what is stored of a session and nothing reads any more: it is not lost, and somebody should know.
enum UnreadValues {
    static func ofState(_ names: [String], of session: Session) -> String {
        """
        \(subject(names, of: session, "read by nothing")): its view model has no such saved property. Where one has another \
        name now, say the old one in its CodingKeys: case NEW = "\(names.first ?? "OLD")"
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

    private static func subject(_ names: [String], of session: Session, _ reading: String) -> String {
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        // The beginning of its key, as for `sessions show`: the whole is a secret.
        return """
            \(session.viewModelName): \(list) of session \(session.key.prefix(8))… \(names.count == 1 ? "is" : "are") stored \
            and \(reading), and \(names.count == 1 ? "stays" : "stay") in the store
            """
    }
}
