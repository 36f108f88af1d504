import Contracts

/// A schema as a member's, and what it is called in each language.
struct ClientForm: Sendable, CustomStringConvertible {
    let schema: Schema
    let typescript: String
    let python: String
    let reader: String

    init(_ form: Schema.Form, _ typescript: String, _ python: String, _ reader: String) {
        schema = Schema(form)
        self.typescript = typescript
        self.python = python
        self.reader = reader
    }

    var description: String { python }

    private static let string = Schema(.string(.any))

    private static func custom(_ json: String) throws -> Schema.Form { .custom(try JSONTree(parsing: json)) }

    static func all() throws -> [ClientForm] {
        try [
            .init(.anything, "unknown", "Any", "_anything"),
            .init(.nothing, "never", "NoReturn", "_nothing"),
            .init(.boolean, "boolean", "bool", "_boolean"),
            .init(.integer(minimum: -128, maximum: 127), "number", "int", "_integer"),
            .init(.integer(minimum: 0, maximum: 1 << 53), "number", "int", "_integer"),
            .init(.integer(minimum: 0, maximum: 1 << 53 + 1), "Int64", "int", "_integer"),
            .init(.integer(minimum: .min, maximum: 0), "Int64", "int", "_integer"),
            .init(.number, "number", "float", "_number"),
            .init(.string(.any), "string", "str", "_string"),
            .init(.string(.dateTime), "DateTime", "str", "_string"),
            .init(.string(.uri), "URLReference", "str", "_string"),
            .init(.string(.uuid), "UUID", "str", "_string"),
            .init(.string(.base64), "Base64", "str", "_string"),
            .init(
                .rawValues([.init(.string("a\"b")), .init(.number("-1"))]), #""a\"b" | -1"#, #"Literal["a\"b", -1]"#,
                #"_one_of("a\"b", -1)"#),
            .init(.array(string), "string[]", "Sequence[str]", "_array(_string)"),
            .init(
                .array(Schema(.nullable(string))), "(string | null)[]", "Sequence[Optional[str]]",
                "_array(_nullable(_string))"),
            .init(
                .dictionary(Schema(.array(string)), keys: .any), "{ [key: string]: string[] }",
                "Mapping[str, Sequence[str]]", "_dictionary(_array(_string))"),
            .init(
                .dictionary(string, keys: .integers), "{ [key: string]: string }", "Mapping[str, str]",
                "_dictionary(_string)"),
            .init(
                .tuple([string, Schema(.integer(minimum: 0, maximum: .max))]), "[string, Int64]", "Tuple[str, int]",
                "(lambda json: (_element(json, 0, _string), _element(json, 1, _integer),))"),
            .init(.either([string, Schema(.boolean)]), "string | boolean", "Union[str, bool]", "_anything"),
            .init(
                .dictionary(string, keys: .names(["a"])), "{ [key: string]: string }", "Mapping[str, str]",
                "_dictionary(_string)"),
            .init(.nullable(string), "string | null", "Optional[str]", "_nullable(_string)"),
            .init(.cases([], .keyed), "never", "NoReturn", "_nothing"),
            .init(.reference("Order"), "Order", "Shop.Order", "Shop.Order.from_json"),
            .init(.reference("ID"), "ID", "Shop.ID", "Shop.read_ID"),
            .init(.reference("UUID"), "UUID", "str", "_string"),
            .init(.reference("UInt"), "Int64", "int", "_integer"),
            .init(custom(#"{ "type": "string", "pattern": "a" }"#), "string", "str", "_string"),
            .init(custom(#"{ "type": "string", "format": "uuid" }"#), "UUID", "str", "_string"),
            .init(custom(#"{ "type": "integer" }"#), "Int64", "int", "_integer"),
            .init(custom(#"{ "type": "number" }"#), "number", "float", "_number"),
            .init(
                custom(#"{ "type": ["null", "boolean"] }"#), "boolean | null", "Optional[bool]", "_nullable(_boolean)"),
            .init(custom(#"{ "type": ["string", "boolean"] }"#), "unknown", "Any", "_anything"),
            .init(custom(#"{ "enum": ["a", 1] }"#), #""a" | 1"#, #"Literal["a", 1]"#, #"_one_of("a", 1)"#),
            .init(custom(#"{ "const": "a" }"#), #""a""#, #"Literal["a"]"#, #"_one_of("a")"#),
            .init(custom(#"{ "enum": ["a", null, 1.5] }"#), "unknown", "Any", "_anything"),
            .init(custom(#"{ "type": "object" }"#), "unknown", "Any", "_anything"),
            .init(custom("{}"), "unknown", "Any", "_anything"),
        ]
    }

    /// With one event that has the schema as its value.
    var contract: ViewModelContract {
        ViewModelContract(
            name: "shop", arguments: Schema(.object([])), viewEvent: Schema(.nothing),
            viewModelEvent: Schema(.cases([.init("told", [.init("value", schema)])], .flat)),
            definitions: [
                .init("ID", Schema(.string(.any))), .init("Order", Schema(.object([.init("id", Schema(.number))]))),
                .init("UInt", Schema(.integer(minimum: 0, maximum: .max))), .init("UUID", Schema(.string(.uuid))),
            ])
    }
}
