import Contracts
import Testing

struct PythonFileTests {
    /// The output for one contract, from its class to the table.
    private func namespace(_ contract: ViewModelContract) throws -> String {
        let text = PythonFile([contract]).text
        let start = try #require(text.firstRange(of: "class Shop:"))
        let end = try #require(text.firstRange(of: "VIEW_MODEL_EVENTS:"))
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
    func `each form has a type, and a function that reads it`(_ form: ClientForm) throws {
        let text = try namespace(form.contract)
        #expect(text.contains("            value: \(form.python)\n"))
        #expect(text.contains("value=_member(members, \"value\", \(form.reader)),\n"))
    }

    @Test func `an event is a frozen dataclass with a kind, whose optional members come last`() throws {
        let members: [Schema.Member] = [
            .init("note", Schema(.nullable(Schema(.string(.any)))), isRequired: false),
            .init("from", Schema(.array(Schema(.boolean)), description: "Where.")),
        ]
        let event = Schema(
            .cases([.init("move", members, description: "Moved.")], .flat), description: "What was done.")
        let text = try namespace(contract(viewEvent: event))
        #expect(
            text.hasPrefix(
                """
                class Shop:
                    class ViewEvents:
                        \"""What was done.\"""

                        @dataclass(frozen=True)
                        class Move:
                            \"""Moved.\"""

                            kind: ClassVar[Literal["move"]] = "move"
                            from_: Sequence[bool]
                            \"""Where.\"""
                            note: Optional[str] = None

                            def to_json(self) -> Dict[str, Any]:
                                json: Dict[str, Any] = {"kind": self.kind, "from": _json(self.from_)}
                                if self.note is not None:
                                    json["note"] = self.note
                                return json

                            @staticmethod
                            def from_json(json: Any) -> Shop.ViewEvents.Move:
                                members = _event(json, "move")
                                return Shop.ViewEvents.Move(
                                    note=_optional(members, "note", _string),
                                    from_=_member(members, "from", _array(_boolean)),
                                )

                    ViewEvent = Union[
                        ViewEvents.Move,
                    ]

                    @staticmethod
                    def read_view_event(json: Any) -> Shop.ViewEvent:
                        name = _kind(json)
                        if name == "move":
                            return Shop.ViewEvents.Move.from_json(json)
                        raise UnknownCase(f"is a case that is not known: {name!r}", "kind")

                """))
    }

    @Test func `an enum in an event has its members' names of events`() throws {
        let choice = Schema(
            .cases(
                [.init("none"), .init("one", [.init("_0", Schema(.boolean)), .init("kind", Schema(.number))])], .keyed))
        let text = try namespace(contract(["Choice": choice]))
        #expect(text.contains("    Choice = Union[\n        ChoiceCases.None_,\n        ChoiceCases.One,\n    ]\n"))
        #expect(text.contains("            return {self.kind: {}}\n"))
        #expect(text.contains("            value: bool\n            kind_: float\n"))
        #expect(text.contains("return {self.kind: {\"_0\": self.value, \"kind\": self.kind_}}\n"))
        #expect(text.contains("members = _member(_members(json), \"one\", _members)\n"))
        #expect(text.contains("name = _case(json, \"none\", \"one\")\n"))
    }

    @Test func `other definitions are other names of types`() throws {
        let text = try namespace(
            contract([
                "ID": Schema(.string(.any), description: "Of an order."), "Other": Schema(.reference("ID")),
                "Forest": Schema(.array(Schema(.reference("Forest")))), "Never": Schema(.cases([], .keyed)),
                "Status": Schema(.rawValues([.init(.string("a"), description: "One."), .init(.string("b"))])),
            ]))
        #expect(text.contains("    ID = Union[str]\n    \"\"\"Of an order.\"\"\"\n"))
        #expect(text.contains("    Other = Union[\"Shop.ID\"]\n"))
        #expect(text.contains("    Forest = Sequence[\"Shop.Forest\"]\n"))
        #expect(text.contains("        value: Shop.Forest = _array(Shop.read_Forest)(json)\n        return value\n"))
        #expect(text.contains("    Status = Literal[\n        # One.\n        \"a\",\n        \"b\",\n    ]\n"))
        #expect(text.contains("    def read_Never(json: Any) -> Shop.Never:\n        _nothing(json)\n"))
    }

    @Test(arguments: [
        (Schema(.object([])), "self, view_model: Literal[\"shop\"]\n"),
        (Schema(.reference("Some")), "self, view_model: Literal[\"shop\"], arguments: Optional[Shop.Some] = None\n"),
        (Schema(.reference("All")), "self, view_model: Literal[\"shop\"], arguments: Shop.All\n"),
        (Schema(.nullable(Schema(.reference("All")))), "arguments: Optional[Shop.All]\n"),
        (Schema(.dictionary(Schema(.number), keys: .any)), "arguments: Optional[Mapping[str, float]] = None\n"),
        (Schema(.string(.any)), "arguments: str\n"),
    ])
    func `arguments may be left out where an object without members will do`(_ arguments: Schema, _ parameters: String)
    {
        let definitions = [
            "All": Schema(.object([.init("id", Schema(.number))])),
            "Some": Schema(.object([.init("id", Schema(.nullable(Schema(.number))), isRequired: false)])),
        ]
        let text = PythonFile([contract(arguments: arguments, definitions)]).text
        #expect(text.contains("async def open(\n") && text.contains(parameters))
        // One alone is no overload.
        #expect(!text.contains("@overload"))
    }

    @Test func `a view model that only others can show has no overload, but its events are read`() {
        var shown = contract(arguments: Schema(.nothing))
        shown.name = "shown"
        var other = contract()
        other.name = "view"
        let text = PythonFile([shown, contract(), other]).text
        #expect(text.split(separator: "\n").count { $0 == "    @overload" } == 2)
        #expect(!text.contains("Literal[\"shown\"]"))
        #expect(text.contains("\"shown\": Shown.read_view_model_event,\n"))
        #expect(text.contains("\"view\": View_.read_view_model_event,\n"))
        #expect(text.contains("-> View[View_.ViewEvent, View_.ViewModelEvent]: ...\n"))
    }

    @Test func `lists have the types of their rows, and an event each`() throws {
        var builder = ContractBuilder()
        let contract = builder.contract(
            of: "shop", Never.self, arguments: .none, viewEvent: Never.self, events: .values([]),
            lists: [("results", ListContractTests.Row.self), ("or null", Bool?.self)])
        let text = try namespace(contract)
        #expect(
            text.contains(
                """
                    Lists = TypedDict(
                        "Lists",
                        {
                            "results": "Shop.Row",
                            "or null": Optional[bool],
                        },
                    )
                    \"""The rows of each list, by its name.\"""

                """), "\(text)")
        #expect(text.contains("            count: int\n"))
        #expect(text.contains("            changes: Optional[Sequence[Shop.RowsEdit]] = None\n"))
        #expect(text.contains("rows=_optional(members, \"rows\", _array(Shop.Row.from_json)),\n"))
        #expect(text.contains("        ViewModelEvents.Results,\n        ViewModelEvents.OrNull,\n    ]\n"))
    }

    @Test func `a type that is called as the lists are has another name beside them`() throws {
        var some = contract(["Lists": Schema(.object([]))])
        #expect(try namespace(some).contains("    class Lists:\n"))
        some.lists = [.init("all", row: Schema(.reference("Lists")))]
        let text = try namespace(some)
        #expect(text.contains("    class Lists_:\n") && text.contains("\"all\": \"Shop.Lists_\",\n"))
    }
}
