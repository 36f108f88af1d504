import JSON

/// A string with a pattern that only its schema has: anything else is refused where it is used.
package protocol PatternedString: RawRepresentable, Codable, Hashable, Sendable, ExpressibleByStringLiteral
where RawValue == String {
    /// ECMA-262, as JSON Schema takes it.
    static var pattern: String { get }
    init(rawValue: String)
}

extension PatternedString {
    package init(_ rawValue: String) { self.init(rawValue: rawValue) }

    package init(stringLiteral value: String) { self.init(rawValue: value) }

    package static var schema: String {
        var writer = JSONWriter()
        writer.string(pattern)
        return #"{"type":"string","pattern":\#(String(decoding: writer.takeBytes(), as: UTF8.self))}"#
    }

    package static var example: Self { Self(rawValue: "") }
}

/// The name of a session on all connections: 128 random bits or more, in base64url without padding. Anyone who has it may
/// attach.
package struct SessionKey: PatternedString, SchemaProviding {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package static let pattern = "^[A-Za-z0-9_-]+$"
}

/// A time in whole seconds, by RFC 3339 and in UTC: "2001-02-03T04:05:06Z".
package struct TimeText: PatternedString, SchemaProviding {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package static let pattern = "^[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}Z$"
}

/// The name of a session's history. It changes when the history was cut back, as by a store that lost what it had acknowledged,
/// so that numbers of before and after aren't taken for the same.
package struct EpochText: PatternedString, SchemaProviding {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package static let pattern = "^[A-Za-z0-9_-]+$"
}

/// A string that a client made at random, too long for anybody to guess. Another length is refused where it is used.
package struct OnceText: RawRepresentable, SchemaProviding, Codable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// In Unicode scalars. 22 of base64url hold 128 bits.
    package static let lengths = 22...256

    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package init(stringLiteral value: String) { self.init(rawValue: value) }

    package static var schema: String {
        #"{"type":"string","minLength":\#(lengths.lowerBound),"maxLength":\#(lengths.upperBound)}"#
    }

    package static var example: OnceText { OnceText(rawValue: String(repeating: "0", count: lengths.lowerBound)) }
}

/// A JSON Pointer (RFC 6901).
package struct PointerText: PatternedString, SchemaProviding {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package static let pattern = "^(/([^~/]|~[01])*)*$"
}

/// The version of the protocol. Versions with the same major number are compatible.
package struct ProtocolVersion: PatternedString, SchemaProviding {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package static let pattern = #"^1\.[0-9]+$"#

    /// The version that this package speaks, as a server and as a client.
    package static let current: ProtocolVersion = "1.2"

    /// Whether a client with this version can work with this server. `1` alone counts as `1.0`.
    package static func isSupported(_ version: String) -> Bool {
        version.split(separator: ".", omittingEmptySubsequences: false).first == "1"
    }
}
