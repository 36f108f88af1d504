import Contracts
import Examples
import TerminalClient
import Testing

/// What a person types becomes an event by a view model's own contract, or an error that says what would be right.
struct TypedEventTests {
    static let forms = ViewModelForms(
        name: "sample",
        contract: (try? JSONTree(
            parsing: """
                {"name":"sample","arguments":{"$ref":"#/$defs/Arguments"},"viewEvent":{"oneOf":[
                {"type":"object","required":["kind","by"],"properties":{"kind":{"const":"increment"},"by":{"$ref":"#/$defs/Small"}}},
                {"type":"object","required":["kind"],"properties":{"kind":{"const":"reset"}}},
                {"description":"Puts text there.","type":"object","required":["kind","title"],"properties":{"kind":{"const":"write"},
                  "title":{"type":"string"},"size":{"type":["number","null"]},"isBold":{"type":["boolean","null"]},
                  "side":{"anyOf":[{"enum":["left","right"]},{"type":"null"}]}}},
                {"type":"object","required":["kind","rows"],"properties":{"kind":{"const":"setRows"},
                  "rows":{"type":"array","items":{"$ref":"#/$defs/Row"}}}},
                {"type":"object","required":["kind","value"],"properties":{"kind":{"const":"any"},"value":{}}}]},
                "viewModelEvent":{"oneOf":[
                {"type":"object","required":["kind","value"],"properties":{"kind":{"const":"count"},"value":{"type":"integer"}}}]},
                "$defs":{"Small":{"type":"integer","minimum":-128,"maximum":127},
                "Arguments":{"type":"object","properties":{"start":{"type":["integer","null"]}}},
                "Row":{"type":"object","required":["id","name"],"properties":{"id":{"type":"integer"},"name":{"type":"string"}}}}}
                """)) ?? .null)

    @Test(arguments: [
        ("reset", #"{"kind":"reset"}"#), ("increment by=2", #"{"kind":"increment","by":2}"#),
        ("increment by=-128", #"{"kind":"increment","by":-128}"#), ("increment 2", #"{"kind":"increment","by":2}"#),
        ("write title=Hello", #"{"kind":"write","title":"Hello"}"#),
        ("write title=42", #"{"kind":"write","title":"42"}"#),
        (#"write title="two words""#, #"{"kind":"write","title":"two words"}"#),
        (#"write title="a \"b\" \u00e9\n""#, #"{"kind":"write","title":"a \"b\" é\n"}"#),
        ("write title='it is \"so\"'", #"{"kind":"write","title":"it is \"so\""}"#),
        (#"write title="" size=0.5 isBold=true"#, #"{"kind":"write","title":"","size":0.5,"isBold":true}"#),
        ("write  isBold=false   title=日本 ", #"{"kind":"write","isBold":false,"title":"日本"}"#),
        ("write x size=null side=left", #"{"kind":"write","title":"x","size":null,"side":"left"}"#),
        ("write a/b?c&d size=3", #"{"kind":"write","title":"a/b?c&d","size":3}"#),
        ("write title=a=b", #"{"kind":"write","title":"a=b"}"#), ("write title=", #"{"kind":"write","title":""}"#),
        (#"setRows rows=[{"id": 1, "name": "a ] b"}]"#, #"{"kind":"setRows","rows":[{"id":1,"name":"a ] b"}]}"#),
        ("setRows []", #"{"kind":"setRows","rows":[]}"#), ("any 3", #"{"kind":"any","value":3}"#),
        ("any x", #"{"kind":"any","value":"x"}"#), ("any {\"a\": null}", #"{"kind":"any","value":{"a":null}}"#),
        ("send reset", #"{"kind":"reset"}"#),
    ])
    func `a line is an event`(_ line: String, _ event: String) throws {
        guard case .event(let kind, let members)? = try ConsoleCommand.reading(line) else {
            Issue.record("\(line) is no event")
            return
        }
        #expect(try Self.forms.event(kind, members) == JSONTree(parsing: event))
    }

    @Test(arguments: [
        ("incremnt by=2", #"sample has no event "incremnt"; it takes increment, reset, write, setRows, any"#),
        ("increment", "increment needs by=INTEGER"), ("increment by=two", "by must be an integer, not two"),
        ("increment by=1.5", "by must be an integer, not 1.5"), ("increment by=128", "by must be an integer, not 128"),
        (#"increment by="2""#, #"by must be an integer, not 2"#), ("increment by=2 by=3", "by is given twice"),
        ("increment to=2", #"increment has no member "to"; it takes by=INTEGER"#),
        ("increment 2 3", "3 is too much: increment takes by=INTEGER"),
        ("reset now", "now is too much: reset takes nothing"),
        ("write", "write needs title=TEXT"), ("write x isBold=yes", "isBold must be true or false, not yes"),
        ("write x side=top", "side must be one of left, right, not top"),
        ("write x size=big", "size must be a number, not big"),
        ("setRows 3", "rows must be a list in brackets, not 3"),
        (#"setRows [{"id":1,"name":2}]"#, "rows[0].name must be text, not [{ \"id\": 1, \"name\": 2 }]"),
        (#"setRows [{"id":1}]"#, "rows[0].name must be text, not [{ \"id\": 1 }]"),
        ("setRows [1,2", "the bracket that begins at [1,2 isn't closed"),
        (#"write "abc"#, #"the quote that begins at "abc isn't closed"#),
        ("write 'abc", "the quote that begins at 'abc isn't closed"),
        (#"write "abc"d"#, #"a blank is missing behind "abc""#),
        ("[1]", "a line begins with a command or an event's kind, not [1]; try 'help'"),
        ("by=2", "a line begins with a command or an event's kind, not by=2; try 'help'"),
        ("open", "it is open NAME [member=value…]"), ("use x", "use takes a number that 'sessions' shows, not x"),
        ("back now", "back takes nothing behind it"), ("attach", "it is attach KEY"),
        ("attach a b", "it is attach KEY"),
    ])
    func `a wrong line says what would be right`(_ line: String, _ message: String) {
        let error = #expect(throws: TypedLineError.self) {
            if case .event(let kind, let members)? = try ConsoleCommand.reading(line) {
                _ = try Self.forms.event(kind, members)
            }
        }
        #expect(error?.description == message)
    }

    @Test(
        arguments: [
            ("", nil), ("   ", nil), ("# a comment", nil), ("help", .help), ("?", .help), ("list", .list),
            ("quit", .quit),
            ("exit", .quit), ("open orders", .open(viewModel: "orders", arguments: [])),
            ("attach k", .attach(key: "k")),
            ("use 2", .use(2)), ("rows results", .rows(list: "results", nil)),
            ("rows results 7", .rows(list: "results", 7...7)),
            ("rows results 100..120", .rows(list: "results", 100...120)), ("describe", .describe(nil)),
            ("describe x", .describe("x")),
            ("show", .show(kind: nil)),
            ("send open", .event(kind: "open", members: [])), (#""open""#, .event(kind: "open", members: [])),
            ("sessions", .sessions), ("share", .share(look: false)), ("share look", .share(look: true)),
            ("back", .back), ("close", .close), ("detach", .detach),
        ] as [(String, ConsoleCommand?)])
    func `the client's own words come before kinds`(_ line: String, _ command: ConsoleCommand?) throws {
        #expect(try ConsoleCommand.reading(line) == command)
    }

    @Test func `the help fits a terminal and has every word`() {
        let lines = ConsoleWord.helpText().split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 78 })
        for word in ConsoleWord.shown { #expect(lines.contains { $0.hasPrefix(word.usage + " ") }) }
    }

    @Test func `a view model that nobody describes takes anything`() throws {
        let forms = ViewModelForms(name: "far")
        let words = try TypedLine(#"a=1 b=true c=x d="1""#).words
        #expect(try forms.event("go", words).line == #"{ "kind": "go", "a": 1, "b": true, "c": "x", "d": "1" }"#)
    }

    @Test func `arguments are members, too`() throws {
        #expect(
            try Self.forms.arguments.read(TypedLine("start=3").words, for: "sample") == [.init("start", .number("3"))])
        #expect(try Self.forms.arguments.read([], for: "sample") == [])
    }
}

struct CompleterTests {
    private var completer: Completer {
        var completer = Completer()
        completer.viewModels = ["counter", "orders", "hello"]
        completer.current = TypedEventTests.forms
        completer.known = ["orders": ViewModelForms(name: "orders", contract: Self.orders)]
        completer.keys = ["k1"]
        completer.numbers = [1, 2]
        completer.shownKinds = ["count"]
        return completer
    }

    private static let orders = JSONTree.object([
        .init(
            "arguments",
            .object([
                .init("type", .string("object")),
                .init(
                    "properties",
                    .object([
                        .init("delay", .object([.init("type", .string("number"))])),
                        .init("fails", .object([.init("type", .string("boolean"))])),
                    ])),
            ]))
    ])

    /// The typed text, and its candidates with their suffixes.
    @Test func `who may only look is offered no kind to send`() {
        var completer = completer
        completer.looksOnly = true
        #expect(completer.complete("incr").candidates.isEmpty && completer.complete("send ").candidates.isEmpty)
        #expect(!self.completer.complete("send ").candidates.isEmpty)
        #expect(!completer.complete("describe ").candidates.isEmpty)
    }

    @Test(arguments: [
        ("op", ["open "]), ("open o", ["orders "]), ("open ", ["counter ", "orders ", "hello "]),
        ("open orders d", ["delay="]),
        ("open orders ", ["delay=", "fails="]), ("open orders delay=1 ", ["fails="]),
        ("open orders fails=t", ["fails=true "]),
        ("open orders fails=", ["fails=true ", "fails=false "]), ("incr", ["increment "]), ("increment ", ["by="]),
        ("increment by=", []), ("increment 2 ", []), ("write title=x si", ["size=", "side="]),
        ("write side=", ["side=left ", "side=right "]), ("write x isBold=f", ["isBold=false "]),
        ("describe wr", ["write "]),
        ("describe o", ["orders "]), ("show ", ["count "]), ("attach ", ["k1 "]), ("use ", ["1 ", "2 "]),
        ("send res", ["reset "]),
        ("se", ["setRows ", "sessions ", "send "].sorted()), ("xyz", []), ("help ", []), (#"write title="a "#, []),
        ("setRows [", []),
    ])
    func `words that can stand there are offered`(_ left: String, _ texts: [String]) {
        let completion = completer.complete(left)
        let seen = completion.candidates.map { $0.text + $0.suffix }
        #expect(left == "se" ? seen.sorted() == texts : seen == texts)
    }

    @Test(arguments: [
        ("incr", "increment ", 4), ("write side=l", "side=left ", 6), ("write si", "si", 2), ("s", "s", 1),
        ("sess", "sessions ", 4), ("nothing", "", 7),
    ])
    func `as much is filled in as all have in common`(_ left: String, _ common: String, _ replaced: Int) {
        let completion = completer.complete(left)
        #expect(completion.commonText == common)
        #expect(completion.replaced == replaced)
    }

    @Test(arguments: [
        ("open counter st", "counter"), ("open counter ", "counter"), ("open count", nil), ("open orders d", nil),
        ("reset ", nil),
        ("open nothing x", nil),
    ])
    func `whose arguments aren't known yet is said`(_ left: String, _ name: String?) {
        #expect(completer.unknownViewModel(in: left) == name)
    }

    @Test func `kinds come with their members`() {
        #expect(completer.complete("increment").candidates.first?.note == "by=INTEGER")
    }
}
