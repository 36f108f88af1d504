/// What a value on the wire looks like: the part of JSON Schema (draft 2020-12) that Swift's types need.
package struct Schema: Equatable, Sendable {
    /// From a doc comment; for people only.
    package var description: String?
    package var form: Form

    package init(_ form: Form, description: String? = nil) {
        self.form = form
        self.description = description
    }

    package indirect enum Form: Equatable, Sendable {
        /// What can't be said more exactly; the description says why.
        case anything
        /// No value at all.
        case nothing
        case boolean
        /// The bounds of the Swift type.
        case integer(minimum: Int64, maximum: UInt64)
        case number
        case string(StringForm)
        /// A raw value of an enum, each with what it means.
        case rawValues([RawValue])
        case array(Schema)
        /// An object whose members are all of one form.
        case dictionary(Schema, keys: DictionaryKeys)
        case object([Member])
        /// The value or null.
        case nullable(Schema)
        /// An enum with associated values, in one of two shapes.
        case cases([Case], CaseShape)
        /// A definition of the document, by its name.
        case reference(String)
        /// As the type itself gives it.
        case custom(JSONTree)
    }

    package enum DictionaryKeys: Sendable {
        case any
        case integers
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
        /// It may be left out otherwise.
        package var isRequired: Bool

        package init(_ name: String, _ schema: Schema, isRequired: Bool = true) {
            self.name = name
            self.schema = schema
            self.isRequired = isRequired
        }
    }

    /// One case of an enum, by its name on the wire.
    package struct Case: Equatable, Sendable {
        package var kind: String
        package var description: String?
        package var members: [Member]

        package init(_ kind: String, _ members: [Member] = [], description: String? = nil) {
            self.kind = kind
            self.members = members
            self.description = description
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
