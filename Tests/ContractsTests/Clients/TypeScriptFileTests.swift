import Contracts
import Testing
import ViewModels

struct TypeScriptFileTests {
    /// The output for one contract, from its namespace to the map.
    private func namespace(_ contract: ViewModelContract) throws -> String {
        let text = TypeScriptFile([contract]).text
        let start = try #require(text.firstRange(of: "export namespace"))
        let end = try #require(text.firstRange(of: "/** Every view model"))
        return String(text[start.lowerBound..<end.lowerBound])
    }

    private func contract(
        arguments: Schema = Schema(.object([])), viewEvent: Schema = Schema(.nothing),
        viewModelEvent: Schema = Schema(.nothing), _ definitions: [String: Schema] = [:]
    ) -> ViewModelContract {
        ViewModelContract(
            name: "shop", arguments: arguments, viewEvent: viewEvent, viewModelEvent: viewModelEvent,
            definitions: definitions.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
    }

    @Test(arguments: try ClientForm.all())
    func `each form has a type`(_ form: ClientForm) throws {
        let text = try namespace(form.contract)
        #expect(text.contains("        kind: \"told\";\n        value: \(form.typescript);\n"))
    }

    @Test func `events are told apart by their kind, and enums in them by their only member`() throws {
        let order = Schema(.object([.init("id", Schema(.number), isRequired: true)]), description: "One order.")
        let choice = Schema(
            .cases(
                [.init("none"), .init("one", [.init("_0", Schema(.reference("Order")))], description: "It.")], .keyed))
        let event = Schema(
            .cases(
                [
                    .init("choose", [.init("value", Schema(.reference("Choice")))], description: "Chose."),
                    .init("go-on", schedule: .superseding(debounce: .milliseconds(50), waits: false)),
                ],
                .flat), description: "What the user did.")
        let text = try namespace(contract(viewEvent: event, ["Order": order, "Choice": choice]))
        #expect(
            text == """
                export namespace Shop {
                  type Choice =
                    | {
                        none: Empty;
                      }
                    | {
                        /** It. */
                        one: { _0: Order };
                      };

                  /** One order. */
                  interface Order {
                    id: number;
                  }

                  /** What the user did. */
                  type ViewEvent =
                    | {
                        /** Chose. */
                        kind: "choose";
                        value: Choice;
                      }
                    | {
                        /** (supersedes its kind after 50 ms, waits for no other) */
                        kind: "go-on";
                      };

                  type ViewModelEvent = never;
                }


                """)
    }

    @Test func `optional members may be null where clients write them, and are left out where they read them`() throws {
        let optional = Schema(.nullable(Schema(.string(.any))))
        let object = Schema(.object([.init("note", optional, isRequired: false), .init("or null", optional)]))
        let event = { (name: String) in
            Schema(.cases([.init("e", [.init("value", Schema(.reference(name)), isRequired: false)])], .flat))
        }
        let inner = Schema(.object([.init("list", Schema(.array(Schema(.reference("Both")))))]))
        let text = try namespace(
            contract(
                viewEvent: event("Written"), viewModelEvent: event("Read"),
                [
                    "Both": object,
                    "Read": Schema(
                        .object([.init("both", Schema(.reference("Both"))), .init("x", optional, isRequired: false)])),
                    "Written": inner,
                ]))
        #expect(text.contains("interface Both {\n    note?: string | null;\n    \"or null\": string | null;\n"))
        #expect(text.contains("interface Read {\n    both: Both;\n    x?: string;\n"))
        #expect(text.contains("value?: Written | null;"))
        #expect(text.contains("value?: Read;"))
    }

    @Test func `raw values have their descriptions, if they have any`() throws {
        let plain = Schema(.rawValues([.init(.string("a")), .init(.string("b"))]))
        let described = Schema(.rawValues([.init(.number("1"), description: "One."), .init(.number("2"))]))
        let text = try namespace(contract(["A": plain, "B": described]))
        #expect(text.contains("  type A = \"a\" | \"b\";\n"))
        #expect(text.contains("  type B =\n    /** One. */\n    | 1\n    | 2;\n"))
    }

    @Test func `the map has every view model, and what can be opened only those that clients may open`() {
        var names: [ViewModelContract] = ["order list", "client"].map { name in
            var contract = contract()
            contract.name = name
            return contract
        }
        names[0].arguments = Schema(.nothing)
        let text = TypeScriptFile(names).text
        #expect(
            text.contains(
                """
                export interface ViewModels {
                  "order list": {
                    arguments: never;
                    viewEvent: OrderList.ViewEvent;
                    viewModelEvent: OrderList.ViewModelEvent;
                  };
                  client: {
                    arguments: Empty;
                    viewEvent: Client_.ViewEvent;
                    viewModelEvent: Client_.ViewModelEvent;
                  };
                }
                """))
        #expect(text.contains("export type Openable =\n  | \"client\";\n"))
        #expect(TypeScriptFile([]).text.contains("export type Openable = never;\n"))
    }

    @Test func `arguments are named from outside of the namespace`() {
        let arguments = Schema(.array(Schema(.nullable(Schema(.reference("Order"))))))
        let text = TypeScriptFile([contract(arguments: arguments, ["Order": Schema(.object([]))])]).text
        #expect(text.contains("arguments: (Shop.Order | null)[];"))
        #expect(text.contains("type Order = Empty;"))
    }

    @Test func `lists have the types of their rows, and an event each`() throws {
        var builder = ContractBuilder()
        let contract = builder.contract(
            of: "shop", Never.self, arguments: .none, viewEvent: Never.self, events: .values([]),
            lists: [("results", ListContractTests.Row.self), ("or null", Bool?.self)])
        let text = try namespace(contract)
        #expect(text.contains("  interface Row {\n    id: Int64;\n    title?: string;\n  }\n"))
        #expect(
            text.hasSuffix(
                """
                      }
                    | {
                        kind: "or null";
                        /** How many rows there are now. */
                        count: Int64;
                        /** The edits that led to it, in order. Where they are missing, any row may be another. */
                        changes?: RowsEdit[];
                        /** The index of the first of rows. Both are there, or neither. */
                        first?: Int64;
                        /** The rows from first on, as they are now. */
                        rows?: (boolean | null)[];
                      };

                  /** The rows of each list, by its name. */
                  interface Lists {
                    results: Row;
                    "or null": boolean | null;
                  }
                }


                """), "\(text)")
        let file = TypeScriptFile([contract]).text
        #expect(file.contains("viewModelEvent: Shop.ViewModelEvent;\n    lists: Shop.Lists;\n"))
    }

    @Test func `a type that is called as the lists are has another name beside them`() throws {
        var some = contract(["Lists": Schema(.object([]))])
        #expect(try namespace(some).contains("type Lists = Empty;"))
        some.lists = [.init("all", row: Schema(.reference("Lists")))]
        let text = try namespace(some)
        #expect(text.contains("type Lists_ = Empty;") && text.contains("interface Lists {\n    all: Lists_;\n"))
    }
}
