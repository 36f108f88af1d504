import FoundationEssentials
import JSON

/// A type whose form on the wire the codec decides, with its simplest value.
struct KnownForm {
    let type: any Any.Type
    let form: Schema.Form
    /// A value of `type`.
    let sample: any Sendable

    /// Whether the form gets a definition of its own: patterns and the bounds of 64 bits are long.
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

/// A container of the standard library. An empty one, which a probe gives it, doesn't show the form of its elements.
protocol ContainerForm {
    /// The type of its elements, and the form of the whole, given the schema of an element.
    static var contents: (any Decodable.Type, (Schema) -> Schema.Form)? { get }
    /// The simplest value: an empty one.
    static var sample: Self? { get }
}

extension Optional: ContainerForm {
    static var contents: (any Decodable.Type, (Schema) -> Schema.Form)? {
        (Wrapped.self as? any Decodable.Type).map { ($0, { .nullable($0) }) }
    }
    static var sample: Self? { .some(nil) }
}

extension Array: ContainerForm {
    static var contents: (any Decodable.Type, (Schema) -> Schema.Form)? {
        (Element.self as? any Decodable.Type).map { ($0, { .array($0) }) }
    }
    static var sample: Self? { [] }
}

extension ContiguousArray: ContainerForm {
    static var contents: (any Decodable.Type, (Schema) -> Schema.Form)? { [Element].contents }
    static var sample: Self? { [] }
}

// Any array will do: order doesn't count, and a repeated element is taken once.
extension Set: ContainerForm {
    static var contents: (any Decodable.Type, (Schema) -> Schema.Form)? { [Element].contents }
    static var sample: Self? { [] }
}

extension Dictionary: ContainerForm {
    /// Nil unless the keys are strings or integers: with other keys the standard library encodes an array.
    static var contents: (any Decodable.Type, (Schema) -> Schema.Form)? {
        guard let value = Value.self as? any Decodable.Type else { return nil }
        if Key.self == String.self { return (value, { .dictionary($0, keys: .any) }) }
        if Key.self == Int.self { return (value, { .dictionary($0, keys: .integers) }) }
        return nil
    }
    static var sample: Self? { [:] }
}
