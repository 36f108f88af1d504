import FoundationEssentials
import JSON

/// A type whose form on the wire the codec decides, with the type's simplest value.
struct KnownForm {
    let type: any Any.Type
    let form: Schema.Form
    /// The meaning of the form, if that isn't obvious.
    let description: String?
    /// A value of `type`.
    let sample: any Sendable

    /// Whether the form gets a definition of its own, since patterns and the bounds of 64-bit integers are long.
    var isDefined: Bool {
        switch form {
        case .integer(_, let maximum): maximum > UInt64(UInt32.max)
        case .string(let form): form != .any && form != .uri
        default: false
        }
    }

    private init<T: Sendable>(_ sample: T, _ form: Schema.Form, _ description: String? = nil) {
        self.description = description
        type = T.self
        self.form = form
        self.sample = sample
    }

    private init<I: FixedWidthInteger & Sendable>(_ type: I.Type) {
        self.init(I(0), .integer(minimum: Int64(clamping: I.min), maximum: UInt64(clamping: I.max)))
    }

    static let all: [KnownForm] =
        [
            KnownForm(false, .boolean), KnownForm("", .string(.any)), KnownForm(0.0, .number),
            KnownForm(Float(0), .number), KnownForm(Float16(0), .number),
            KnownForm(TaskPriority.medium, .integer(minimum: 0, maximum: UInt64(UInt8.max))),
            KnownForm(Decimal(0), .number),
            KnownForm(
                Duration.zero,
                .tuple([
                    Schema(.integer(minimum: .min, maximum: UInt64(Int64.max))),
                    Schema(.integer(minimum: 0, maximum: .max)),
                ]),
                "A duration in attoseconds, a number of 128 bits: its upper 64, with the sign, and its lower 64."),
            KnownForm(
                DateInterval(start: Date(timeIntervalSince1970: 0), duration: 0),
                .object([
                    Schema.Member("start", Schema(.string(.dateTime))), Schema.Member("duration", Schema(.number)),
                ]), "A start and a duration in seconds."),
            KnownForm(
                TimeZone.gmt, .object([Schema.Member("identifier", Schema(.string(.any)))]),
                "A time zone, such as Europe/Paris."),
            KnownForm(Int.self), KnownForm(Int8.self), KnownForm(Int16.self), KnownForm(Int32.self),
            KnownForm(Int64.self), KnownForm(UInt.self), KnownForm(UInt8.self), KnownForm(UInt16.self),
            KnownForm(UInt32.self), KnownForm(UInt64.self),
            KnownForm(Date(timeIntervalSince1970: 0), .string(.dateTime)), KnownForm(Data(), .string(.base64)),
            KnownForm(JSONText { $0.null() }, .anything),
            KnownForm(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), .string(.uuid)),
        ] + (URL(string: "/").map { [KnownForm($0, .string(.uri))] } ?? [])

    static func of(_ type: any Any.Type) -> KnownForm? {
        all.first { $0.type == type }
    }
}
