import FoundationEssentials
import JSON

/// The types whose form on the wire the codec gives, each with its simplest value.
struct KnownForm {
    let type: any Any.Type
    let form: Schema.Form
    /// Of that type.
    let sample: any Sendable

    /// Whether it is said once, by the type's name: the bounds of 64 bits and patterns are long.
    var isDefined: Bool {
        switch form {
        case .integer(_, let maximum): maximum > UInt64(UInt32.max)
        case .string(let form): form != .any && form != .uri
        default: false
        }
    }

    private init<T: Sendable>(_ sample: T, _ form: Schema.Form) {
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
            KnownForm(Float(0), .number), KnownForm(Decimal(0), .number),
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
