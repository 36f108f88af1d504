import JSON

/// The name and version of a client.
package struct ClientInfo: SchemaProviding, Encodable, Hashable, Sendable {
    package var name: String?
    package var version: String?

    package init(name: String?, version: String?) {
        self.name = name
        self.version = version
    }

    private enum CodingKeys: String, CodingKey {
        case name
        case version
    }

    /// Never fails: what isn't a name or a version is ignored.
    package init(from decoder: any Decoder) throws {
        let container = try? decoder.container(keyedBy: CodingKeys.self)
        name = try? container?.decode(String.self, forKey: .name)
        version = try? container?.decode(String.self, forKey: .version)
    }

    package static var schema: String {
        """
        {"anyOf":[{"type":"object","required":["name"],"properties":{"name":{"type":"string"},\
        "version":{"type":["string","null"]}}},true]}
        """
    }

    package static var example: ClientInfo { ClientInfo(name: nil, version: nil) }
}

/// How much `$/logTrace` reports.
package enum TraceLevel: String, SchemaProviding, Encodable, Sendable {
    case off
    /// The methods of the messages.
    case messages
    /// Their params too.
    case verbose

    /// No value is an error: "compact", which some editors send, counts as "messages", and any other as "off".
    package init(lenient value: String?) {
        self = value == "compact" ? .messages : value.flatMap { TraceLevel(rawValue: $0) } ?? .off
    }

    package init(from decoder: any Decoder) throws {
        self.init(lenient: try? decoder.singleValueContainer().decode(String.self))
    }

    package static var schema: String { #"{"default":"off","examples":["off","messages","verbose"]}"# }

    package static var example: TraceLevel { .off }
}
