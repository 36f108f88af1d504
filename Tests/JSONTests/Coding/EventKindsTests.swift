import JSON
import Testing

@Suite struct EventKindsTests {
    @Test func `an enum's kinds are the names of its cases`() {
        #expect(EventKinds.of(Plain.self) == ["a", "b"])
        #expect(EventKinds.of(Mixed.self) == ["empty", "labelled", "nested", "two", "unlabelled"])
        #expect(EventKinds.of(One.self) == ["only"])
        #expect(EventKinds.of(OneWithValue.self) == ["only"])
        #expect(EventKinds.of(Generic<Int>.self) == ["left", "right"])
        #expect(EventKinds.of(Quoted.self) == ["a case", "default", "öäü"])
        #expect(EventKinds.of(Nothing.self) == [])
    }

    @Test func `many cases are all found`() {
        #expect(EventKinds.of(Letters.self) == Letters.allCases.map { "\($0)" })
    }

    @Test func `an enum of strings has the strings as its kinds`() {
        #expect(EventKinds.of(Raw.self) == ["a", "b"])
        #expect(EventKinds.of(Renamed.self) == ["A", "b"])
    }

    @Test func `where names can't be known there are none`() {
        #expect(EventKinds.of(RenamedInSecret.self) == nil)
        #expect(EventKinds.of(Numbers.self) == nil)
        #expect(EventKinds.of(Structure.self) == nil)
        #expect(EventKinds.of(Object.self) == nil)
        #expect(EventKinds.of((Int, Int).self) == nil)
        #expect(EventKinds.of((() -> Void).self) == nil)
        #expect(EventKinds.of((any Error).self) == nil)
        #expect(EventKinds.of(Int.self) == nil)
        #expect(EventKinds.of(String.self) == nil)
        #expect(EventKinds.of(Int.Type.self) == nil)
        // An enum of the standard library whose metadata is of a kind of its own.
        #expect(EventKinds.of(Int?.self) == nil)
    }

    @Test func `kinds are the names that the encoder writes`() throws {
        let mixed: [Mixed] = [.empty, .labelled(a: 1), .nested(.empty), .two(1, "b"), .unlabelled(1)]
        #expect(try mixed.map { try kind(of: $0) } == EventKinds.of(Mixed.self))
        #expect(try [Quoted.`a case`, .default, .öäü].map { try kind(of: $0) } == EventKinds.of(Quoted.self))
        #expect(try [Renamed.a, .b].map { try kind(of: $0) } == EventKinds.of(Renamed.self))
    }

    private func kind(of event: some Encodable) throws -> String {
        var writer = JSONWriter()
        try EventEncoder().encode(event, into: &writer)
        return try withBytes(writer.takeBytes()) { try JSONValue(validating: $0).member("kind")?.string() } ?? ""
    }
}

private enum Plain: Codable { case b, a }
private enum One: Codable { case only }
private enum OneWithValue: Codable { case only(Int) }
private enum Nothing {}
private enum Generic<Value: Codable>: Codable { case left(Value), right }
private enum Quoted: Codable { case `a case`, `default`, öäü }
private indirect enum Mixed: Codable {
    case empty
    case labelled(a: Int)
    case nested(Mixed)
    case two(Int, String)
    case unlabelled(Int)
}
private enum Letters: CaseIterable, Codable {
    case a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z
}
private enum Raw: String, Codable { case b, a }
private enum Renamed: String, Codable, CaseIterable { case b, a = "A" }
private enum RenamedInSecret: String, Codable { case b, a = "A" }
private enum Numbers: Int, Codable { case a, b }
private struct Structure: Codable { var a = 1 }
private final class Object {}
