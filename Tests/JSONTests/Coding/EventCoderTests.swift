import JSON
import TestSupport
import Testing

@Suite(.inTurn) struct EventCoderTests {
    struct Row: Codable, Equatable { var id: Int }
    enum Arrow: String, Codable { case left, right }

    enum Event: Codable, Equatable {
        case touchButton
        case selectOrder(index: Int)
        case updateTitle(String)
        case moved(Int, Int)
        case search(text: String?, Int?)
        case loaded(rows: [Row])
        case kind(Int)
        case turned(Arrow)
    }

    static let table: [(Event, String)] = [
        (.touchButton, #"{"kind":"touchButton"}"#),
        (.selectOrder(index: 3), #"{"kind":"selectOrder","index":3}"#),
        (.updateTitle("Hello"), #"{"kind":"updateTitle","value":"Hello"}"#),
        (.moved(1, 2), #"{"kind":"moved","value":1,"value1":2}"#),
        (.search(text: nil, nil), #"{"kind":"search"}"#),
        (.search(text: "a", 1), #"{"kind":"search","text":"a","value1":1}"#),
        (.loaded(rows: [Row(id: 1), Row(id: 2)]), #"{"kind":"loaded","rows":[{"id":1},{"id":2}]}"#),
        (.kind(1), #"{"kind":"kind","value":1}"#),
        (.turned(.left), #"{"kind":"turned","value":"left"}"#),
    ]

    @Test(arguments: table) func `an event has the protocol's shape in both directions`(_ event: Event, _ text: String)
        throws
    {
        #expect(try encodedEvent(event) == text)
        #expect(try String(decoding: EventEncoder().encode(event), as: UTF8.self) == text)
        #expect(try decodedEvent(Event.self, text) == event)
    }

    /// More values than are noted beside the text of one that is kept, and fewer, and so few that both fit in one piece.
    @Test(arguments: [0, 1, 3, 10, 100, 200, 1_000])
    func `an event of any length has the protocol's shape`(_ count: Int) throws {
        let event = Event.loaded(rows: (0..<count).map { Row(id: $0) })
        #expect(try decodedEvent(Event.self, encodedEvent(event)) == event)
        let spaced = try encodedEvent(event).replacing(",", with: " ,\n ").replacing("{", with: "{ ")
        #expect(try decodedEvent(Event.self, spaced) == event)
    }

    @Test func `members come in any order, unknown ones are ignored, nil may be null`() throws {
        #expect(try decodedEvent(Event.self, #"{"x":[],"index":3,"kind":"selectOrder"}"#) == .selectOrder(index: 3))
        #expect(
            try decodedEvent(Event.self, #"{"kind":"search","text":null,"value1":null}"#) == .search(text: nil, nil))
        #expect(try decodedEvent(Event.self, #"{"kind":"a","k\u0069nd":"touchButton"}"#) == .touchButton)
    }

    @Test func `an enum of strings is a kind alone`() throws {
        #expect(try encodedEvent(Arrow.left) == #"{"kind":"left"}"#)
        #expect(try decodedEvent(Arrow.self, #"{"kind":"right"}"#) == .right)
        expectFailure("/event/kind", "unknown kind 'up'") {
            _ = try decodedEvent(Arrow.self, #"{"kind":"up"}"#, at: "/event")
        }
        expectFailure("/event/kind", "missing") { _ = try decodedEvent(Arrow.self, "{}", at: "/event") }
        expectFailure("/event/kind", "expected a string but found a number") {
            _ = try decodedEvent(Arrow.self, #"{"kind":1}"#, at: "/event")
        }
    }

    @Test(arguments: [
        (#"{"kind":"nope"}"#, "/event/kind", "unknown kind 'nope'"),
        (#"{}"#, "/event/kind", "missing"),
        (#"{"kind":7}"#, "/event/kind", "expected a string but found a number"),
        (#"{"kind":"selectOrder"}"#, "/event/index", "missing"),
        (#"{"kind":"selectOrder","index":"3"}"#, "/event/index", "expected an integer but found a string"),
        (#"{"kind":"selectOrder","index":null}"#, "/event/index", "expected an integer but found null"),
        (#"{"kind":"selectOrder","index":1.5}"#, "/event/index", "expected an integer but found 1.5"),
        (#"{"kind":"updateTitle","_0":"x"}"#, "/event/value", "missing"),
        (#"{"kind":"moved","value":1,"value1":true}"#, "/event/value1", "expected an integer but found a boolean"),
        (#"{"kind":"loaded","rows":[{"id":1},{}]}"#, "/event/rows/1/id", "missing"),
        (
            #"{"kind":"loaded","rows":[{"id":1},{"id":[]}]}"#, "/event/rows/1/id",
            "expected an integer but found an array"
        ),
        (#"{"kind":"loaded","rows":{}}"#, "/event/rows", "expected an array but found an object"),
        (#"{"kind":"turned","value":"up"}"#, "/event/value", "Cannot initialize Arrow from invalid String value up"),
        (#"[]"#, "/event", "expected an object but found an array"),
        (#"null"#, "/event", "expected an object but found null"),
    ])
    func `an event that is wrong says where on the wire`(_ text: String, _ path: String, _ reason: String) {
        #expect {
            try decodedEvent(Event.self, text, at: "/event")
        } throws: { error in
            let error = error as? JSONCodingError
            return error?.path.description == path && error?.reason == reason
        }
    }

    @Test func `labels that the wire needs for itself are refused`() {
        enum Clash: Codable {
            case a(kind: String)
            case b(jsonrpc: String)
            case c(Int, value: Int)
        }
        let labelKind = "an associated value can't be labelled 'kind': an event's kind is called so"
        expectFailure("/kind", labelKind) { _ = try encodedEvent(Clash.a(kind: "x")) }
        expectFailure("/kind", labelKind) { _ = try decodedEvent(Clash.self, #"{"kind":"a"}"#) }
        expectFailure(
            "/jsonrpc", "an associated value can't be labelled 'jsonrpc': clients in use take it for a message"
        ) { _ = try encodedEvent(Clash.b(jsonrpc: "2.0")) }
        expectFailure("/value", "the label 'value' is the name of a value without a label") {
            _ = try encodedEvent(Clash.c(1, value: 2))
        }
    }

    @Test func `an event that fails leaves nothing in the writer`() throws {
        enum Event: Codable { case measured(values: [Double]) }
        let text = try written { writer in
            writer.beginArray()
            try EventEncoder().encode(Arrow.left, into: &writer)
            expectFailure("/values/1", "nan is not a number that JSON can say") {
                try EventEncoder().encode(Event.measured(values: [1, .nan]), into: &writer)
            }
            try EventEncoder().encode(Arrow.right, into: &writer)
            writer.endArray()
        }
        #expect(text == #"[{"kind":"left"},{"kind":"right"}]"#)
    }

    @Test func `a value without a kind is no event`() {
        struct Plain: Codable { var kind: Int?; var a = 1 }
        let missing = "missing: an event is an enum or encodes a 'kind' of its own"
        expectFailure("/kind", missing) { _ = try encodedEvent(Plain()) }
        expectFailure("/kind", "expected a string") { _ = try encodedEvent(Plain(kind: 1)) }
        expectFailure("/kind", missing) { _ = try encodedEvent([1]) }
        expectFailure("/kind", missing) { _ = try encodedEvent(7) }
        expectFailure("", "expected an integer but found an object") { _ = try decodedEvent(Int.self, "{}") }
    }

    @Test func `code of one's own may write and read the flat members`() throws {
        struct Flat: Codable, Equatable {
            var kind: String
            var rows: [String: Int]
        }
        let flat = Flat(kind: "rows", rows: ["a": 1])
        #expect(try encodedEvent(flat) == #"{"kind":"rows","rows":{"a":1}}"#)
        #expect(try decodedEvent(Flat.self, #"{"kind":"rows","rows":{"a":1}}"#) == flat)
        expectFailure("/kind", "missing") { _ = try decodedEvent(Flat.self, #"{"rows":{}}"#) }
    }

    @Test func `code of one's own may use nested containers under any keys`() throws {
        struct Open: Codable, Equatable {
            var rows: Int
            init(rows: Int) { self.rows = rows }
            init(from decoder: any Decoder) throws {
                let members = try decoder.container(keyedBy: AnyKey.self)
                #expect(members.allKeys.map(\.stringValue) == ["rows", "kind"])
                rows = try members.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "rows"))
                    .decode(Int.self, forKey: AnyKey(stringValue: "n"))
            }
            func encode(to encoder: any Encoder) throws {
                var members = encoder.container(keyedBy: AnyKey.self)
                var nested = members.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "rows"))
                try nested.encode(rows, forKey: AnyKey(stringValue: "n"))
                try members.encode("rows", forKey: AnyKey(stringValue: "kind"))
            }
        }
        let text = #"{"rows":{"n":1},"kind":"rows"}"#
        #expect(try encodedEvent(Open(rows: 1)) == text)
        #expect(try decodedEvent(Open.self, text) == Open(rows: 1))
    }

    @Test func `an event may wrap another one`() throws {
        struct Wrapper: Codable {
            let event: Event
            init(_ event: Event) { self.event = event }
            init(from decoder: any Decoder) throws { event = try decoder.singleValueContainer().decode(Event.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(event)
            }
        }
        #expect(try encodedEvent(Wrapper(.moved(1, 2))) == #"{"kind":"moved","value":1,"value1":2}"#)
        #expect(try decodedEvent(Wrapper.self, #"{"kind":"touchButton"}"#).event == .touchButton)
    }
}
