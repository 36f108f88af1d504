import JSON
import Synchronization
import Testing
import TestSupport

/// The container of a row is given to the row after it: nobody may notice who keeps none beyond its `encode(to:)`.
@Suite(.inTurn) struct ContainerReuseTests {
    /// The first few containers of a key type are used once, so each test begins behind them.
    init() throws {
        let pairs = (0..<3).map { Pair($0, $0) }
        #expect(try decoded([Pair].self, encoded(pairs)) == pairs)
    }

    /// What `ReusableContainer.isReference` takes for granted of what is as large as a reference, and is counted.
    @Test func `the standard library's keyed containers are a reference to an object`() throws {
        let (encoding, decoding) = (EncodingWitness(), DecodingWitness())
        #expect(try encoded(Watched(witness: encoding, id: 1)) == #"{"id":1}"#)
        try DecodingWitness.$current.withValue(decoding) { _ = try decoded(Seen.self, #"{"id":1}"#) }
        let containers: [Any] = [try #require(encoding.kept), try #require(decoding.seen.kept)]
        for container in containers {
            let properties = Mirror(reflecting: container).children
            #expect(properties.count == 1)
            #expect(properties.allSatisfy { type(of: $0.value) is AnyObject.Type })
        }
    }

    struct Row: Codable, Equatable {
        var id: Int
        var name: String
        var ratio: Double
        var isOpen: Bool
        var note: String?
    }

    /// Within itself, and more often than containers of one type are kept.
    indirect enum Tree: Codable, Equatable {
        case leaf(Int)
        case node(left: Tree, right: Tree, name: String?)

        static func full(_ depth: Int) -> Tree {
            depth == 0 ? .leaf(7) : .node(left: full(depth - 1), right: .leaf(depth), name: depth % 2 == 0 ? "n" : nil)
        }

        var text: String {
            switch self {
            case .leaf(let value): return #"{"leaf":{"_0":\#(value)}}"#
            case .node(let left, let right, let name):
                let name = name.map { #","name":"\#($0)""# } ?? ""
                return #"{"node":{"left":\#(left.text),"right":\#(right.text)\#(name)}}"#
            }
        }
    }

    @Test func `rows come out the same the first time and the last`() throws {
        let rows = (0..<300).map {
            Row(id: $0, name: "n\($0)", ratio: Double($0) / 4, isOpen: $0 % 2 == 0, note: $0 % 3 == 0 ? "x" : nil)
        }
        let text = rows.map { row in
            let note = row.note.map { #","note":"\#($0)""# } ?? ""
            return #"{"id":\#(row.id),"name":"\#(row.name)","ratio":\#(row.ratio),"isOpen":\#(row.isOpen)\#(note)}"#
        }
        let expected = "[\(text.joined(separator: ","))]"
        for _ in 0..<3 {
            #expect(try encoded(rows) == expected)
            #expect(try decoded([Row].self, expected) == rows)
        }
    }

    @Test(arguments: [0, 1, 5, 30, 100]) func `a type within itself keeps its places apart`(_ depth: Int) throws {
        let tree = Tree.full(depth)
        for _ in 0..<3 {
            #expect(try encoded(tree) == tree.text)
            #expect(try decoded(Tree.self, tree.text) == tree)
        }
    }

    /// Two containers of one key type, in use at the same time.
    struct Pair: Codable, Equatable {
        var first: Int
        var second: Int
        init(_ first: Int, _ second: Int) { (self.first, self.second) = (first, second) }
        init(from decoder: any Decoder) throws {
            let outer = try decoder.container(keyedBy: AnyKey.self)
            let one = try outer.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "one"))
            let two = try outer.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "two"))
            first = try one.decode(Int.self, forKey: AnyKey(stringValue: "n"))
            second = try two.decode(Int.self, forKey: AnyKey(stringValue: "n"))
        }
        func encode(to encoder: any Encoder) throws {
            var outer = encoder.container(keyedBy: AnyKey.self)
            var one = outer.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "one"))
            var two = outer.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "two"))
            try two.encode(second, forKey: AnyKey(stringValue: "n"))
            try one.encode(first, forKey: AnyKey(stringValue: "n"))
        }
    }

    @Test func `two containers of one type don't get mixed up`() throws {
        let pairs = (0..<4).map { Pair($0, $0 + 10) }
        let text =
            #"[{"one":{"n":0},"two":{"n":10}},{"one":{"n":1},"two":{"n":11}},"#
            + #"{"one":{"n":2},"two":{"n":12}},{"one":{"n":3},"two":{"n":13}}]"#
        #expect(try encoded(pairs) == text)
        #expect(try decoded([Pair].self, text) == pairs)
    }

    /// Keeps the container of the first of these that is encoded, and writes to it in each later text.
    final class EncodingWitness {
        var kept: KeyedEncodingContainer<AnyKey>?
        var textOfKept = 0
        var text = 0
        var errors = 0
        func look(_ container: KeyedEncodingContainer<AnyKey>) {
            if kept == nil { (kept, textOfKept) = (container, text) }
            guard text != textOfKept else { return }
            do { try kept?.encode("stray", forKey: AnyKey(stringValue: "x")) } catch { errors += 1 }
        }
    }

    struct Watched: Encodable {
        let witness: EncodingWitness
        let id: Int
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            witness.look(container)
            try container.encode(id, forKey: AnyKey(stringValue: "id"))
        }
    }

    @Test func `a container that was kept writes to no later text`() throws {
        let witness = EncodingWitness()
        let rows = (0..<3).map { Watched(witness: witness, id: $0) }
        for text in 0..<3 {
            witness.text = text
            #expect(try encoded(rows) == #"[{"id":0},{"id":1},{"id":2}]"#)
            #expect(witness.errors == 3 * text)
        }
        witness.kept = nil
        #expect(try encoded(rows) == #"[{"id":0},{"id":1},{"id":2}]"#)
    }

    @Test func `a container that was kept makes no later text fail`() throws {
        let witness = EncodingWitness()
        let rows = [Watched(witness: witness, id: 0)]
        #expect(try encoded(rows) == #"[{"id":0}]"#)
        _ = witness.kept?.superEncoder()
        _ = witness.kept?.nestedUnkeyedContainer(forKey: AnyKey(stringValue: "x"))
        var nested = witness.kept?.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "x"))
        #expect(throws: (any Error).self) { try nested?.encode(1, forKey: AnyKey(stringValue: "y")) }
        #expect(try encoded(rows) == #"[{"id":0}]"#)
    }

    struct WatchedEvent: Encodable {
        let watched: Watched
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            watched.witness.look(container)
            try container.encode("x", forKey: AnyKey(stringValue: "kind"))
            try container.encode(watched.id, forKey: AnyKey(stringValue: "id"))
        }
    }

    @Test func `an event's container that was kept writes to no later event`() throws {
        let witness = EncodingWitness()
        for text in 0..<3 {
            witness.text = text
            let event = WatchedEvent(watched: Watched(witness: witness, id: text))
            #expect(try encodedEvent(event) == #"{"kind":"x","id":\#(text)}"#)
            #expect(witness.errors == text)
        }
    }

    /// A superclass and its subclass each with a container of their own, of the same encoder.
    class Base: Encodable {
        let id: Int
        init(_ id: Int) { self.id = id }
        private enum CodingKeys: CodingKey { case id }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
        }
    }

    final class Derived: Base {
        private enum CodingKeys: CodingKey { case twice, thrice }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(2 * id, forKey: .twice)
            try super.encode(to: encoder)
            try container.encode(3 * id, forKey: .thrice)
        }
    }

    @Test func `rows that ask for several containers get each its own`() throws {
        let rows = (0..<3).map(Derived.init)
        let text = rows.map { #"{"twice":\#(2 * $0.id),"id":\#($0.id),"thrice":\#(3 * $0.id)}"# }
        for _ in 0..<2 { #expect(try encoded(rows) == "[\(text.joined(separator: ","))]") }
    }

    // Only the test that made it uses it.
    final class DecodingWitness: @unchecked Sendable {
        static let key = AnyKey(stringValue: "id")
        struct Seen { var kept: KeyedDecodingContainer<AnyKey>?; var ids: [Int] = []; var errors = 0 }
        var seen = Seen()
        func look(_ container: KeyedDecodingContainer<AnyKey>) {
            if seen.kept == nil { seen.kept = container }
            do {
                if let id = try seen.kept?.decode(Int.self, forKey: Self.key) { seen.ids.append(id) }
            } catch { seen.errors += 1 }
        }
        @TaskLocal static var current: DecodingWitness?
    }

    struct Seen: Decodable {
        let id: Int
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            DecodingWitness.current?.look(container)
            id = try container.decode(Int.self, forKey: DecodingWitness.key)
        }
    }

    @Test func `a container that was kept reads its own row and no later text`() throws {
        let witness = DecodingWitness()
        try DecodingWitness.$current.withValue(witness) { () throws in
            #expect(try decoded([Seen].self, #"[{"id":5},{"id":6},{"id":7}]"#).map(\.id) == [5, 6, 7])
            #expect(witness.seen.ids == [5, 5, 5])
            #expect(try decoded([Seen].self, #"[{"id":8},{"id":9}]"#).map(\.id) == [8, 9])
            #expect(witness.seen.ids == [5, 5, 5] && witness.seen.errors == 2)
            witness.seen.kept = nil
            #expect(try decoded([Seen].self, #"[{"id":8},{"id":9}]"#).map(\.id) == [8, 9])
            #expect(witness.seen.ids == [5, 5, 5, 8, 8])
        }
    }

    /// Fails in the middle when it is told to.
    struct Brittle: Codable, Equatable {
        struct Broken: Error, CustomStringConvertible { let description = "broken" }
        var id: Int
        init(_ id: Int) { self.id = id }
        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: AnyKey.self).decode(Int.self, forKey: AnyKey(stringValue: "id"))
            if id < 0 { throw Broken() }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(id, forKey: AnyKey(stringValue: "id"))
            if id < 0 { throw Broken() }
        }
    }

    @Test func `a row that fails leaves the next ones alone`() throws {
        for _ in 0..<3 {
            expectFailure("/1", "broken") { _ = try encoded([Brittle(1), Brittle(-1), Brittle(2)]) }
            #expect(try encoded([Brittle(1), Brittle(2)]) == #"[{"id":1},{"id":2}]"#)
            expectFailure("/1", "broken") { _ = try decoded([Brittle].self, #"[{"id":1},{"id":-1}]"#) }
            #expect(try decoded([Brittle].self, #"[{"id":1},{"id":2}]"#) == [Brittle(1), Brittle(2)])
        }
    }

    struct Wrapped<Value: Codable & Equatable>: Codable, Equatable { var value: Value }

    /// Each level has a key type of its own, more of them than there is room for.
    private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value, _ text: String, levels: Int) throws {
        #expect(try encoded(value) == text)
        #expect(try decoded(Value.self, text) == value)
        guard levels > 0 else { return }
        try expectRoundTrip(Wrapped(value: value), #"{"value":\#(text)}"#, levels: levels - 1)
    }

    @Test func `more types than are kept come out right`() throws {
        try expectRoundTrip(1, "1", levels: 100)
        try expectRoundTrip(1, "1", levels: 100)
    }

    /// A value whose code encodes and decodes another text.
    struct Nesting: Codable, Equatable {
        var row: Row
        var text: String
        init(_ row: Row) throws { (self.row, text) = (row, try encoded([row, row])) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            text = try container.decode(String.self, forKey: AnyKey(stringValue: "text"))
            let rows = try decoded([Row].self, text)
            row = try container.decode(Row.self, forKey: AnyKey(stringValue: "row"))
            #expect(rows == [row, row])
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(row, forKey: AnyKey(stringValue: "row"))
            #expect(try encoded([row, row]) == text)
            try container.encode(text, forKey: AnyKey(stringValue: "text"))
        }
    }

    @Test func `texts within the code of texts don't meet`() throws {
        let value = try [1, 2].map { try Nesting(Row(id: $0, name: "a", ratio: 0.5, isOpen: true)) }
        #expect(try decoded([Nesting].self, encoded(value)) == value)
    }

    @Test func `many threads at once don't meet`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<16 {
                group.addTask { () throws in
                    let tree = Tree.full(worker)
                    let rows = (0..<20).map { Row(id: $0 + worker, name: "w\(worker)", ratio: 1, isOpen: true) }
                    for _ in 0..<50 {
                        #expect(try encoded(tree) == tree.text)
                        #expect(try decoded(Tree.self, tree.text) == tree)
                        #expect(try decoded([Row].self, encoded(rows)) == rows)
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    enum Event: Codable, Equatable {
        case kind(Int)
        case rows([Row], more: Bool)
        case done
        case moved(Int, Int, Int)
    }

    enum Other: Codable, Equatable {
        case done
        case moved(String)
    }

    @Test func `events of several types in turns keep their kinds and labels`() throws {
        let row = Row(id: 1, name: "a", ratio: 0.5, isOpen: true)
        let rowText = #"{"id":1,"name":"a","ratio":0.5,"isOpen":true}"#
        let events: [(Event, String)] = [
            (.kind(3), #"{"kind":"kind","value":3}"#),
            (.done, #"{"kind":"done"}"#),
            (.rows([row], more: false), #"{"kind":"rows","value":[\#(rowText)],"more":false}"#),
            (.moved(1, 2, 3), #"{"kind":"moved","value":1,"value1":2,"value2":3}"#),
        ]
        for _ in 0..<3 {
            for (event, text) in events {
                #expect(try encodedEvent(event) == text)
                #expect(try decodedEvent(Event.self, text) == event)
                #expect(try encodedEvent(Other.moved("x")) == #"{"kind":"moved","value":"x"}"#)
                #expect(try decodedEvent(Other.self, #"{"kind":"moved","value":"x"}"#) == .moved("x"))
            }
            expectFailure("/kind", "unknown kind 'rows'") { _ = try decodedEvent(Other.self, #"{"kind":"rows"}"#) }
            #expect(try decodedEvent(Other.self, #"{"kind":"d\u006fne"}"#) == .done)
        }
    }
}
