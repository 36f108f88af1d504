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
            definitions: definitions),
        ViewModelContract(
            name: "nobody's \"child\"", description: "", arguments: Schema(.nothing), viewEvent: Schema(.nothing),
            viewModelEvent: Schema(.cases([], .flat)), definitions: []),
        ViewModelContract(
            name: names[0], arguments: Schema(.object(members(of: names))),
            viewEvent: Schema(.cases(names.map { .init($0, [], description: hostile) }, .flat)),
            viewModelEvent: Schema(.cases([.init("names", members(of: names))], .flat)),
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
        "back\\slash", "*/", "a-b", "a_b", "a b", "größe", "日本", "１", "ﬁ", "🎉", "\u{2028}", "\u{200B}", "o\u{308}",
        "Int64", "UUID", "DateTime", "Empty", "Array", "Promise", "string", "never", "json", "members", "match",
        "print",
        "e\nf", "property", "id", "hash", "lambda", "await", "is", "True", "name",
    ]

    private static func members(of names: [String]) -> [Schema.Member] {
        names.map { Schema.Member($0, Schema(.string(.any), description: hostile)) }
    }
}
