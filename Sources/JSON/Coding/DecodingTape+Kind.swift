/// The `kind` of the event that the tape holds.
extension DecodingTape {
    /// The entry of its value; nil where there is none.
    var kindMember: Int? {
        let name: StaticString = "kind"
        return name.withUTF8Buffer { try? member(UnsafeRawBufferPointer($0), inObject: 0) }
    }

    /// The kind whose value is at `member`; nil where it isn't a string.
    @inline(__always)
    func kind(_ member: Int?) -> JSONStringText? {
        guard let member, let entry = try? entry(member), text[entry.offset] == ASCII.quote else { return nil }
        return stringText(entry)
    }

    /// - Throws: when it is missing or not a string.
    func eventKind() throws -> String {
        try beginObject(0)
        guard let kindMember else { throw missing(PathKey.member(EventShape.kind), inObject: 0) }
        return try string(at: kindMember)
    }

    /// What is wrong with a kind that names no case.
    var kindFailure: String {
        guard let kindMember, let found = try? kind(at: kindMember) else { return "missing" }
        guard let kind = kind(kindMember) else { return "expected a string but found \(found)" }
        return EventShape.unknown(kind.string())
    }
}
