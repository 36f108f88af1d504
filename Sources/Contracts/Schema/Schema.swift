package import ViewModels

/// The form of a value on the wire: the part of JSON Schema (draft 2020-12) that Swift's types need.
package struct Schema: Equatable, Sendable {
    /// A doc comment, for people only.
    package var description: String?
    package var form: Form

    package init(_ form: Form, description: String? = nil) {
        self.form = form
        self.description = description
    }

    package indirect enum Form: Equatable, Sendable {
        /// Any value, since the form isn't known; the description says why.
        case anything
        /// No value at all.
        case nothing
        case boolean
        /// An integer within the bounds of the Swift type.
        case integer(minimum: Int64, maximum: UInt64)
        case number
        case string(StringForm)
        /// The raw values of an enum.
        case rawValues([RawValue])
        case array(Schema)
        /// An array with exactly these elements, in this order.
        case tuple([Schema])
        /// A value of any of these forms.
        case either([Schema])
        /// An object whose members are all of one form.
        case dictionary(Schema, keys: DictionaryKeys)
        case object([Member])
        /// The value or null.
        case nullable(Schema)
        /// An enum with associated values, in one of two shapes.
        case cases([Case], CaseShape)
        /// A definition of the document, by name.
        case reference(String)
        /// The schema that a `SchemaProviding` type gives.
        case custom(JSONTree)
    }

    package enum DictionaryKeys: Equatable, Sendable {
        case any
        case integers
        /// The raw values of an enum.
        case names([String])
    }

    package enum CaseShape: Sendable {
        /// An event: `{"kind":"selectOrder","index":3}`.
        case flat
        /// In an event, as the compiler encodes it (SE-0295): `{"selectOrder":{"index":3}}`.
        case keyed
    }

    /// One member of an object.
    package struct Member: Equatable, Sendable {
        package var name: String
        package var schema: Schema
        /// Whether the member must be there; otherwise it may be left out.
        package var isRequired: Bool

        package init(_ name: String, _ schema: Schema, isRequired: Bool = true) {
            self.name = name
            self.schema = schema
            self.isRequired = isRequired
        }
    }

    /// A case of an enum. `kind` is its name on the wire.
    package struct Case: Equatable, Sendable {
        package var kind: String
        package var description: String?
        package var members: [Member]
        /// The view event's schedule; nil if it is handled in order.
        package var schedule: EventSchedule?

        package init(
            _ kind: String, _ members: [Member] = [], description: String? = nil, schedule: EventSchedule? = nil
        ) {
            self.kind = kind
            self.members = members
            self.description = description
            self.schedule = schedule == .inOrder ? nil : schedule
        }
    }

    /// A string or an integer that stands for a case.
    package struct RawValue: Equatable, Sendable {
        package var value: JSONTree
        package var description: String?

        package init(_ value: JSONTree, description: String? = nil) {
            self.value = value
            self.description = description
        }
    }
}

extension Schema {
    /// The format of a string.
    package enum StringForm: Sendable {
        case any
        /// A date and time as in RFC 3339.
        case dateTime
        /// A URI or relative reference as in RFC 3986.
        case uri
        /// A UUID as in RFC 9562.
        case uuid
        /// Base64 data as in RFC 4648, section 4.
        case base64
    }
}

extension Schema.StringForm {
    /// The keywords for the format. Some have a pattern, since validators needn't check `format` and `contentEncoding`. The
    /// pattern for dates doesn't know the lengths of months.
    var keywords: [JSONTree.Member] {
        switch self {
        case .any: []
        case .uri: [.init("format", .string("uri-reference"))]
        case .uuid: [.init("format", .string("uuid")), .init("pattern", .string(Self.uuidPattern))]
        case .dateTime: [.init("format", .string("date-time")), .init("pattern", .string(Self.dateTimePattern))]
        case .base64: [.init("contentEncoding", .string("base64")), .init("pattern", .string(Self.base64Pattern))]
        }
    }

    private static let uuidPattern = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
    private static let dateTimePattern =
        "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        + "[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
    /// A pattern in which the unused bits of the last character must be zero.
    private static let base64Pattern =
        "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"
}

extension Schema {
    /// The kinds of an event in order of declaration; nil if unknown.
    package var kinds: [String]? {
        switch form {
        case .cases(let cases, _): cases.map(\.kind)
        case .nothing: []
        default: nil
        }
    }
}
