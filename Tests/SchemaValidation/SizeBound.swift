/// The keywords that count.
enum SizeBound: String, Sendable {
    case minLength, maxLength, minItems, maxItems, minProperties, maxProperties

    /// How much there is of what is counted, and its name; nil when there is nothing to count.
    func size(of instance: ExactJSON) -> (count: Int, unit: String)? {
        switch (self, instance) {
        case (.minLength, .string(let text)), (.maxLength, .string(let text)):
            (text.string.unicodeScalars.count, "characters")
        case (.minItems, .array(let elements)), (.maxItems, .array(let elements)): (elements.count, "elements")
        case (.minProperties, .object(let members)), (.maxProperties, .object(let members)): (members.count, "members")
        default: nil
        }
    }

    var isMinimum: Bool { rawValue.hasPrefix("min") }
}
