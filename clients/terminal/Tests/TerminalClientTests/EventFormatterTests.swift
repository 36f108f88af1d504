import Contracts
import TerminalClient
import Testing

struct EventFormatterTests {
    @Test(arguments: [
        (#"{"kind":"reset"}"#, ["  reset"]), (#"{"kind":"count","value":42}"#, ["  count 42"]),
        (#"{"kind":"loading","value":true}"#, ["  loading true"]),
        (#"{"kind":"title","value":"a \"b\""}"#, [#"  title "a \"b\"""#]),
        (#"{"kind":"note","value":"x","isSaved":false}"#, [#"  note value="x" isSaved=false"#]),
        (#"{"kind":"rows","value":[]}"#, ["  rows []"]), (#"{"kind":"rows","value":[1,2,3]}"#, ["  rows [1, 2, 3]"]),
        (#"{"kind":"moved","to":{"x":1,"y":[2]}}"#, ["  moved to={x=1 y=[2]}"]),
        (#"{"kind":"o","value":[{"id":0,"name":"a"}]}"#, ["  o 1 item", #"    0 id=0 name="a""#]),
        (
            #"{"kind":"changed","value":{"items":[{"id":1}],"left":2}}"#,
            ["  changed items=[{id=1}] left=2"]
        ),
        (
            #"{"kind":"changed","value":{"items":[{"title":"a text that takes room"}],"left":2}}"#,
            ["  changed", "    items 1 item", #"      0 title="a text that takes room""#, "    left 2"]
        ),
        (#"{"kind":"o","value":[[1,2],{}]}"#, ["  o 2 items", "    0 [1, 2]", "    1 {}"]),
        (#"{"kind":"t","value":"\u001b[2J\u202e"}"#, [#"  t "\u001b[2J\u202e""#]),
        (#"{"kind":"\u009b2J","value":null}"#, [#"  \u009b2J null"#]), ("7", ["  7"]), (#"{"a":1}"#, ["  a=1"]),
    ])
    func `an event reads as it is typed`(_ event: String, _ lines: [String]) throws {
        let formatter = EventFormatter(columns: 40, style: .plain)
        #expect(formatter.lines(try JSONTree(parsing: event)) == lines)
    }

    @Test func `a long list is shortened and says so`() throws {
        let rows = (0..<100).map {
            JSONTree.object([.init("id", .number("\($0)")), .init("name", .string("Order #\($0)"))])
        }
        let event = JSONTree.object([.init("kind", .string("orders")), .init("value", .array(rows))])
        let short = EventFormatter(columns: 80, style: .plain).lines(event)
        #expect(short.count == 12)
        #expect(
            short[0] == "  orders 100 items" && short[8] == ##"    7 id=7 name="Order #7""##
                && short[11] == "    … 90 more")
        let full = EventFormatter(columns: 80, style: .plain, limits: .none).lines(event)
        #expect(full.count == 101 && full[8] == ##"     7 id=7 name="Order #7""##)
    }

    @Test func `a long text is shortened and says so`() throws {
        let event = JSONTree.object([
            .init("kind", .string("t")), .init("value", .string(String(repeating: "x", count: 5_000))),
        ])
        let line = EventFormatter(columns: 80, style: .plain).lines(event)
        #expect(line == ["  t \"\(String(repeating: "x", count: 1_000))\"… 4000 more characters"])
    }

    @Test func `colours take no room`() throws {
        let event = try JSONTree(parsing: #"{"kind":"abc","x":1,"y":2}"#)
        #expect(
            EventFormatter(columns: 13, style: Style(hasColour: true)).lines(event) == [
                "  \u{1B}[36mabc\u{1B}[0m x=1 y=2"
            ])
    }
}

struct FormsTextTests {
    @Test func `a contract is shown as one types it`() {
        let text = FormsText(style: .plain)
        #expect(
            text.lines(TypedEventTests.forms) == [
                "sample", "opened with", "  start: an integer, may be left out", "takes",
                "  increment by=INTEGER", "  reset",
                "  write title=TEXT [size=NUMBER] [isBold=true|false] [side=left|right]  Puts text there.",
                "  setRows rows=[…]",
                "  any value=JSON", "sends", "  count value=INTEGER",
            ])
    }

    @Test func `a kind is shown with what each member must be`() throws {
        let kind = try #require(TypedEventTests.forms.viewEvent("increment"))
        #expect(FormsText(style: .plain).lines(kind) == ["increment by=INTEGER", "  by: an integer"])
    }
}

struct ScreensTests {
    @Test func `a pushed or presented screen comes to the front, and goes with all that stands on it`() {
        var screens = Screens()
        let orders = screens.add("orders", key: "a", .root)
        let details = screens.add("orderDetails", key: "b", .pushed(host: orders))
        let more = screens.add("more", key: "c", .pushed(host: orders))
        let question = screens.add("confirm", key: "d", .presented(host: more))
        let help = screens.add("help", key: "e", .pushed(host: question))
        #expect(screens.current == help)
        #expect(screens.path(of: help) == "orders › orderDetails › more » confirm › help")
        screens.remove(question)
        #expect(screens.current == more)
        screens.remove(details)
        #expect(screens.all.map(\.number) == [orders] && screens.current == orders)
        screens.remove(orders)
        #expect(screens.all.isEmpty && screens.current == nil)
    }

    @Test func `a screen that another root shows doesn't come to the front`() {
        var screens = Screens()
        let first = screens.add("orders", key: "a", .root)
        let second = screens.add("counter", key: "b", .root)
        let child = screens.add("orderDetails", key: "c", .pushed(host: first))
        #expect(screens.current == second)
        screens.use(first)
        #expect(screens.current == first)
        screens.use(child)
        screens.remove(second)
        #expect(screens.current == child)
        screens.remove(first)
        #expect(screens.current == nil)
    }

    @Test func `the newest event of each kind is kept, until a snapshot comes`() {
        var screens = Screens()
        let number = screens.add("counter", key: "a", .root)
        for value in ["1", "2"] { screens.note(.number(value), kind: "count", of: number) }
        screens.note(.null, kind: "rows", of: number)
        #expect(screens[number]?.newest.map(\.kind) == ["count", "rows"])
        #expect(screens[number]?.newest.first?.event == .number("2"))
        screens.forget(number)
        #expect(screens[number]?.newest.isEmpty == true)
    }
}
