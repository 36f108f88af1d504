extension Schema {
    /// A string that stands for something else.
    package enum StringForm: Sendable {
        case any
        /// RFC 3339.
        case dateTime
        /// RFC 3986.
        case uri
        /// RFC 9562.
        case uuid
        /// RFC 4648, section 4.
        case base64
    }
}

extension Schema.StringForm {
    /// Validators need not look at `format` and `contentEncoding`; so the pattern says it too, but for the days of a month.
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
    /// No bits may be set that belong to no byte.
    private static let base64Pattern =
        "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"
}
