import Contracts

/// Contracts with every form that a schema can have, and with names and descriptions that no language likes.
enum EveryForm {
    /// A value of a contract, as it is on the wire.
    struct Message {
        let viewModel: String
        /// `viewEvent` or `viewModelEvent`.
        let part: String
        let json: String
    }

    static let contracts = [
        ViewModelContract(
            name: "forms", description: hostile,
            arguments: Schema(.dictionary(Schema(.number), keys: .integers)),
            viewEvent: Schema(.cases(cases, .flat), description: hostile),
            viewModelEvent: Schema(.cases(cases, .flat)),
            lists: definitions.map { .init($0.name, row: Schema(.reference($0.name)), identity: "id") },
            definitions: definitions),
        ViewModelContract(
            name: "nobody's \"child\"", description: "", arguments: Schema(.nothing), viewEvent: Schema(.nothing),
            viewModelEvent: Schema(.cases([], .flat)), definitions: []),
        ViewModelContract(
            name: names[0], arguments: Schema(.object(members(of: names))),
            viewEvent: Schema(.cases(names.map { .init($0, [], description: hostile) }, .flat)),
            viewModelEvent: Schema(.cases([.init("names", members(of: names))], .flat)),
            lists: names.map { .init($0, row: Schema(.array(Schema(.nullable(Schema(.reference($0))))))) },
            definitions: names.map { .init($0, Schema(.object([]), description: hostile)) }),
        // Two that would have the same name, and some that mean something else.
        ViewModelContract(
            name: "a b", arguments: Schema(.string(.uuid)), viewEvent: Schema(.cases([.init("b")], .flat)),
            viewModelEvent: Schema(.cases([.init("b")], .flat)), definitions: []),
        ViewModelContract(
            name: "aB", arguments: Schema(.nullable(Schema(.reference("Client")))),
            viewEvent: Schema(.cases([.init("client", [.init("value", Schema(.reference("Client")))])], .flat)),
            viewModelEvent: Schema(.cases([.init("b")], .flat)),
            definitions: [
                .init("Client", Schema(.object([.init("AB", Schema(.reference("Client")), isRequired: false)])))
            ]
        ),
        ViewModelContract(
            name: "none", arguments: Schema(.object([])), viewEvent: Schema(.cases([.init("b")], .flat)),
            viewModelEvent: Schema(.cases([.init("b")], .flat)), definitions: []),
    ]

    /// One event of each form, with what may be left out, and without.
    static let messages =
        [
            #"{"kind":"scalars","value":{"yes":true,"text":"\u0000 \" 🎉","whole":-9223372036854775808,"big":18446744073709551615,"short":-1,"number":1.5e300,"time":"2001-02-03T04:05:06Z","link":"a/b","id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","bytes":"AAE=","free":{"a":[null]},"money":"1.00 EUR","blob":[1],"word":null,"choice":"b"}}"#,
            #"{"kind":"enums","value":"open","value1":-1,"value2":{"none":{}}}"#,
            #"{"kind":"enums","value":"to be \"sent\"","value1":9007199254740993,"value2":{"one":{"_0":"closed","_1":1}}}"#,
            #"{"kind":"enums","value":"closed","value1":1,"value2":{"many":{"kind":"x","value":[],"count":3}}}"#,
            #"{"kind":"enums","value":"closed","value1":1,"value2":{"many":{"kind":"x","value":["open"]}}}"#,
            #"{"kind":"trees","tree":{"node":{"left":{"leaf":{"_0":1}},"right":{"node":{"left":{"leaf":{"_0":2}},"right":{"leaf":{"_0":3}}}}}},"forest":[[],[[]]],"node":{"children":[{"children":[]}]}}"#,
            #"{"kind":"containers","value":[["a",null],[]],"names":{"":{"x":"1"},"b":{}},"ids":{"1":"x"},"nullable":null}"#,
            #"{"kind":"containers","value":[],"names":{},"ids":{},"nullable":{}}"#,
            #"{"kind":"optional"}"#,
            #"{"kind":"optional","value":"other","list":[{"children":[]}],"anything":0,"status":"open"}"#,
        ].flatMap { json in ["viewEvent", "viewModelEvent"].map { Message(viewModel: "forms", part: $0, json: json) } }
        + names.map { Message(viewModel: names[0], part: "viewEvent", json: #"{"kind":\#(quoted($0))}"#) }
        + [
            Message(
                viewModel: names[0], part: "viewModelEvent",
                json: "{\"kind\":\"names\"" + names.map { ",\(quoted($0)):\"x\"" }.joined() + "}")
        ]

    private static func quoted(_ text: String) -> String { JSONTree.string(text).line }

    private static let hostile = #"""
        Ends */ here, and */*/ "there" or \"""there\""", """ or '''.

            // code: \u0041 \N{x} \x4 \#u{7} \#u{2028} \#u{202E} 日本 🎉 #{x} ${x} `x`
        A line that is longer than others, so that it must be broken somewhere, and one word that can't be: \#(long).
        Ends with a backslash \
        and a quote "
        """#

    private static let long = String(repeating: "long", count: 50)

    private static let names = [
        "class", "None", "none", "from", "from_json", "from json", "to_json", "self", "cls", "str", "int", "float",
        "bool", "List", "Optional", "Union", "Literal", "Any", "dataclass", "staticmethod", "ClassVar", "Class",
        "Client", "View", "ViewEvent", "ViewModelEvent", "ViewEvents", "viewModelEvents", "Forms", "forms", "object",
        "type", "value", "value1", "_0", "_1", "__x", "__init__", "__proto__", "constructor", "1st", "", " ", "a\"b",
        "Lists", "TypedDict",
        "back\\slash", "*/", "a-b", "a_b", "a b", "größe", "日本", "１", "ﬁ", "🎉", "\u{2028}", "\u{200B}", "o\u{308}",
        "Int64", "UUID", "DateTime", "Empty", "Array", "Promise", "string", "never", "json", "members", "match",
        "print",
        "e\nf", "property", "id", "hash", "lambda", "await", "is", "True", "name",
    ]

    private static func members(of names: [String]) -> [Schema.Member] {
        names.map { Schema.Member($0, Schema(.string(.any), description: hostile)) }
    }
}

extension EveryForm {
    private static let int = Schema(.reference("Int"))
    private static let string = Schema(.string(.any))
    private static func named(_ name: String) -> Schema { Schema(.reference(name)) }
    private static func custom(_ members: JSONTree.Member...) -> Schema { Schema(.custom(.object(members))) }

    /// The same cases for view events and view model events.
    static let cases: [Schema.Case] = [
        .init("scalars", [.init("value", named("Scalars"))]),
        .init(
            "enums",
            [.init("value", named("Status")), .init("value1", named("Level")), .init("value2", named("Choice"))]),
        .init(
            "trees",
            [.init("tree", named("Tree")), .init("forest", named("Forest")), .init("node", named("Node"))]),
        .init(
            "containers",
            [
                .init("value", Schema(.array(Schema(.array(Schema(.nullable(string))))))),
                .init("names", Schema(.dictionary(Schema(.dictionary(string, keys: .any)), keys: .any))),
                .init("ids", Schema(.dictionary(named("OtherID"), keys: .integers))),
                .init("nullable", Schema(.nullable(Schema(.dictionary(named("Impossible"), keys: .any))))),
            ]),
        .init(
            "optional",
            [
                .init("value", Schema(.nullable(named("ID"))), isRequired: false),
                .init("list", Schema(.nullable(Schema(.array(named("Node"))))), isRequired: false),
                .init("anything", Schema(.anything, description: "Not known."), isRequired: false),
                .init("status", named("Status"), isRequired: false),
            ]),
    ]

    static let definitions: [ViewModelContract.Definition] = [
        .init("Blob", custom(.init("type", .string("array")), .init("items", .boolean(true)))),
        .init(
            "Choice",
            Schema(
                .cases(
                    [
                        .init("none"), .init("one", [.init("_0", named("Status")), .init("_1", named("Level"))]),
                        .init(
                            "many",
                            [
                                .init("kind", string), .init("value", Schema(.array(named("Status")))),
                                .init("count", Schema(.nullable(int)), isRequired: false),
                            ], description: "Several."),
                    ], .keyed), description: "None or more.")),
        .init("Data", Schema(.string(.base64))), .init("Date", Schema(.string(.dateTime))),
        .init("Forest", Schema(.array(named("Forest")))),
        .init("ID", Schema(.string(.any), description: "Of an order.")),
        .init("Impossible", Schema(.cases([], .keyed))),
        .init("Int", Schema(.integer(minimum: .min, maximum: UInt64(Int64.max)))),
        .init("Level", Schema(.rawValues([-1, 1, 9_007_199_254_740_993].map { .init(.number("\($0)")) }))),
        .init("MaybeWord", custom(.init("type", .array([.string("string"), .string("null")])))),
        .init("Money", custom(.init("type", .string("string")), .init("pattern", .string("^.* EUR$")))),
        .init("Node", Schema(.object([.init("children", Schema(.array(named("Node"))))]))),
        .init("OtherID", named("ID")),
        .init("Scalars", Schema(.object(scalars), description: "One of each.")),
        .init(
            "Status",
            Schema(
                .rawValues([
                    .init(.string("open"), description: "It goes on.\nFor now."), .init(.string("closed")),
                    .init(.string("to be \"sent\"")),
                ]))),
        .init(
            "Tree",
            Schema(
                .cases(
                    [
                        .init("leaf", [.init("_0", int)]),
                        .init("node", [.init("left", named("Tree")), .init("right", named("Tree"))]),
                    ], .keyed))),
        .init("UInt64", Schema(.integer(minimum: 0, maximum: .max))), .init("UUID", Schema(.string(.uuid))),
    ]

    private static let scalars: [Schema.Member] = [
        .init("yes", Schema(.boolean)), .init("text", string), .init("whole", int), .init("big", named("UInt64")),
        .init("short", Schema(.integer(minimum: -128, maximum: 127), description: "Of a byte.")),
        .init("number", Schema(.number)), .init("time", named("Date")),
        .init("link", Schema(.string(.uri))), .init("id", named("UUID")),
        .init("bytes", named("Data")), .init("free", Schema(.anything)), .init("money", named("Money")),
        .init("blob", named("Blob")), .init("word", named("MaybeWord")),
        .init("choice", custom(.init("enum", .array([.string("a"), .string("b")])))),
    ]
}
