import JSON
import TestSupport
import Testing

/// What hand-written `Codable` may do beyond what the compiler synthesizes.
@Suite(.inTurn) struct CoderContainerTests {
    class Base: Codable {
        var a = 1
        required init() {}
    }

    final class Derived: Base {
        var b = 2
        enum CodingKeys: CodingKey { case b }
        required init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            b = try members.decode(Int.self, forKey: .b)
            try super.init(from: members.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try super.encode(to: members.superEncoder())
            try members.encode(b, forKey: .b)
        }
    }

    @Test func `a superclass has a member of its own`() throws {
        #expect(try encoded(Derived()) == #"{"super":{"a":1},"b":2}"#)
        let value = try decoded(Derived.self, #"{"b":3,"super":{"a":4}}"#)
        #expect(value.a == 4 && value.b == 3)
        expectFailure("/super", "missing") { _ = try decoded(Derived.self, #"{"b":3}"#) }
        expectFailure("/super/a", "missing") { _ = try decoded(Derived.self, #"{"b":3,"super":{}}"#) }
    }

    /// Encodes by a closure.
    struct Encoding: Encodable {
        let body: (any Encoder) throws -> Void
        init(_ body: @escaping (any Encoder) throws -> Void) { self.body = body }
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    @Test func `containers may be filled in turns`() throws {
        let value = Encoding { encoder in
            var members = encoder.container(keyedBy: AnyKey.self)
            var a = members.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "a"))
            var b = members.nestedUnkeyedContainer(forKey: AnyKey(stringValue: "b"))
            let late = members.superEncoder(forKey: AnyKey(stringValue: "late"))
            try a.encode(1, forKey: AnyKey(stringValue: "x"))
            try b.encode(2)
            try a.encode([3], forKey: AnyKey(stringValue: "y"))
            var inner = b.nestedContainer(keyedBy: AnyKey.self)
            try members.encode("end", forKey: AnyKey(stringValue: "c"))
            try inner.encode(4, forKey: AnyKey(stringValue: "z"))
            try b.encode(5)
            #expect(b.count == 3)
            #expect(inner.codingPath.map(\.stringValue) == ["0", "b", "1"])
            try ["late"].encode(to: late)
        }
        #expect(try encoded([value]) == #"[{"a":{"x":1,"y":[3]},"b":[2,{"z":4},5],"late":["late"],"c":"end"}]"#)
    }

    @Test func `a failure in a container that is filled late says where`() {
        let value = Encoding { encoder in
            var members = encoder.container(keyedBy: AnyKey.self)
            var a = members.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "a"))
            try members.encode(1, forKey: AnyKey(stringValue: "b"))
            try a.encode([Double.nan], forKey: AnyKey(stringValue: "x"))
        }
        expectFailure("/0/a/x/0", "nan is not a number that JSON can say") { _ = try encoded([value]) }
    }

    @Test func `nothing encoded is an empty object, and two values in one place are refused`() throws {
        #expect(try encoded([Encoding { _ in }]) == "[{}]")
        expectFailure("/0", "more than one value was encoded in one place") {
            _ = try encoded([
                Encoding { encoder in
                    var container = encoder.singleValueContainer()
                    try container.encode(1)
                    try container.encode(2)
                }
            ])
        }
        expectFailure("/0", "more than one value was encoded in one place") {
            _ = try encoded([
                Encoding { encoder in
                    _ = encoder.unkeyedContainer()
                    _ = encoder.container(keyedBy: AnyKey.self)
                }
            ])
        }
    }

    @Test func `code that catches a failure goes on with a whole text`() throws {
        let value = Encoding { encoder in
            var members = encoder.container(keyedBy: AnyKey.self)
            try? members.encode(["x": [1, .nan]], forKey: AnyKey(stringValue: "a"))
            try members.encode(1, forKey: AnyKey(stringValue: "b"))
        }
        #expect(try encoded(value) == #"{"b":1}"#)
    }

    @Test func `coding paths are right wherever they are asked for`() throws {
        struct Path: Codable {
            let path: String
            init() { path = "" }
            init(from decoder: any Decoder) throws {
                path = decoder.codingPath.map(\.stringValue).joined(separator: ".")
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(encoder.codingPath.map(\.stringValue).joined(separator: "."))
            }
        }
        #expect(try encoded(["a": [[Path()], [Path(), Path()]]]) == #"{"a":[["a.0.0"],["a.1.0","a.1.1"]]}"#)
        let paths = try decoded([String: [[Path]]].self, #"{"x":[[1],[1,{}]]}"#)
        #expect(paths["x"]?.map { $0.map(\.path) } == [["x.0.0"], ["x.1.0", "x.1.1"]])
    }

    final class Chain: Codable {
        var next: Chain?
        init(_ depth: Int) {
            for _ in 1..<depth {
                let inner = Chain()
                inner.next = next
                next = inner
            }
        }
        init() {}
    }

    @Test func `512 objects within each other are encoded and decoded, 513 refused`() throws {
        let text = try encoded(Chain(512))
        #expect(text.utf8.count { $0 == UInt8(ascii: "{") } == 512)
        _ = try decoded(Chain.self, text)
        #expect { try encoded(Chain(513)) } throws: { ($0 as? JSONCodingError)?.reason == "nested deeper than 512" }
        let loop = Chain()
        loop.next = loop
        #expect { try encoded(loop) } throws: { ($0 as? JSONCodingError)?.reason == "nested deeper than 512" }
        loop.next = nil
    }

    @Test func `a value that decodes or encodes itself without end is refused`() {
        struct Endless: Codable {
            init() {}
            init(from decoder: any Decoder) throws { self = try decoder.singleValueContainer().decode(Endless.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(self)
            }
        }
        expectFailure("", "nested too deep to decode") { _ = try decoded(Endless.self, "1") }
        expectFailure("", "nested too deep to encode") { _ = try encoded(Endless()) }
    }
}
