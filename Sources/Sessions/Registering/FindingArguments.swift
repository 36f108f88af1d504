import JSON

/// The arguments by which a session is found again, read from what a client gave.
///
/// Equal arguments have the same text, whatever the order of their members. What has its default is left out. So arguments
/// that get another member with a default find the sessions of before.
enum FindingArguments<Arguments: Decodable> {
    /// With more members than this, those that have their default stay: each is tried by reading the rest.
    private static var maximumTried: Int { 64 }

    /// Whether sessions can be found by arguments of this type.
    static var canFind: Bool { Arguments.self is any Encodable.Type }

    /// Reads the arguments of an opening. Runs the code of their type.
    ///
    /// - Throws: `JSONCodingError` with the path of the member that doesn't fit.
    static func text(of opening: OpeningArguments) throws -> JSONText {
        let whole = try text(of: opening.decode(Arguments.self))
        let names = whole.withValue { $0.memberNames }
        guard (1...maximumTried).contains(names.count) else { return whole }
        var shortest = whole
        for name in names {
            let shorter = JSONText { writer in shortest.withValue { writer.sorted($0, without: name) } }
            let again = try? text(of: shorter.withValue { try ValueDecoder().decode(Arguments.self, from: $0) })
            if again == whole { shortest = shorter }
        }
        return shortest
    }

    /// - Throws: also where the arguments aren't `Encodable`.
    private static func text(of arguments: Arguments) throws -> JSONText {
        guard let arguments = arguments as? any Encodable else { throw NotEncodable<Arguments>() }
        var writer = JSONWriter()
        try ValueEncoder().encode(arguments, into: &writer)
        return try writer.takeBytes().withUnsafeBytes { bytes in
            let value = try JSONValue(validating: bytes)
            return JSONText { $0.sorted(value) }
        }
    }
}

/// The error for arguments by which no session can be found.
struct NotEncodable<Arguments>: Error, CustomStringConvertible {
    var description: String {
        "\(Arguments.self) must be Codable, as a session of this scope is found by its arguments"
    }
}

extension JSONValue {
    fileprivate var memberNames: [String] {
        var names: [String] = []
        forEachMember { name, _ in names.append(name.string()) }
        return names
    }
}

extension JSONWriter {
    /// Writes a value with the members of each object in the order of their names' UTF-8.
    ///
    /// - Parameter left: the name of a member of the value itself that is left out.
    fileprivate mutating func sorted(_ value: JSONValue, without left: String? = nil) {
        switch value.kind {
        case .object:
            var members: [(name: String, value: JSONValue)] = []
            value.forEachMember { name, value in members.append((name.string(), value)) }
            members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            beginObject()
            for member in members where member.name != left {
                key(member.name)
                sorted(member.value)
            }
            endObject()
        case .array:
            beginArray()
            value.forEachElement { sorted($0) }
            endArray()
        case .string, .number, .boolean, .null: compact(value)
        }
    }
}
