/// What a type's own `init(from:)` asked for.
enum TypeShape {
    case object([Member])
    /// An enum whose cases may have associated values.
    case cases([Case])
    /// An enum's raw values, strings or integers.
    case rawValues([(name: String, value: JSONTree)])
    /// Nothing but a value of another type.
    case value(any Decodable.Type)

    struct Member {
        /// On the wire, outside of events.
        let name: String
        /// In an event: `value` for what has no label.
        let eventName: String
        /// In Swift.
        let property: String
        let type: any Decodable.Type
        /// It may be left out, or null.
        let isOptional: Bool
        /// Why it can't be a member of an event.
        let clash: String?
    }

    struct Case {
        /// On the wire.
        let kind: String
        /// In Swift.
        let name: String
        let members: [Member]
    }
}
