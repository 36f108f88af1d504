import Contracts

extension EveryForm {
    private static let int = Schema(.reference("Int"))
    private static let string = Schema(.string(.any))
    private static func named(_ name: String) -> Schema { Schema(.reference(name)) }
    private static func custom(_ members: JSONTree.Member...) -> Schema { Schema(.custom(.object(members))) }

    /// The same for what clients write and for what they read.
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
