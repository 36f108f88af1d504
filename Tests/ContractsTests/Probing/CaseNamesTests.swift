@testable import Contracts
import Testing

@Suite struct CaseNamesTests {
    @Test func `those with associated values come first, and all in order of declaration`() {
        #expect(CaseNames.names(of: Plain.self) == ["b", "a"])
        #expect(CaseNames.names(of: Mixed.self) == ["labelled", "nested", "two", "unlabelled", "empty"])
        #expect(CaseNames.names(of: One.self) == ["only"])
        #expect(CaseNames.names(of: OneWithValue.self) == ["only"])
        #expect(CaseNames.names(of: Generic<Int>.self) == ["left", "right"])
        #expect(CaseNames.names(of: Quoted.self) == ["a case", "default", "öäü"])
        #expect(CaseNames.names(of: Nothing.self) == [])
    }

    @Test func `many cases are all found`() {
        #expect(CaseNames.names(of: Letters.self) == Letters.allCases.map { "\($0)" })
    }

    @Test func `only an enum without associated values is plain`() {
        #expect(CaseNames.plainNames(of: Plain.self) == ["b", "a"])
        #expect(CaseNames.plainNames(of: Numbers.self) == ["a", "b"])
        #expect(CaseNames.plainNames(of: Mixed.self) == nil)
        #expect(CaseNames.plainNames(of: OneWithValue.self) == nil)
    }

    @Test func `where names can't be known there are none`() {
        #expect(CaseNames.names(of: Structure.self) == nil)
        #expect(CaseNames.names(of: Object.self) == nil)
        #expect(CaseNames.names(of: (Int, Int).self) == nil)
        #expect(CaseNames.names(of: (() -> Void).self) == nil)
        #expect(CaseNames.names(of: (any Error).self) == nil)
        #expect(CaseNames.names(of: Int.self) == nil)
        #expect(CaseNames.names(of: String.self) == nil)
        #expect(CaseNames.names(of: Int.Type.self) == nil)
        // An enum of the standard library whose metadata is of a kind of its own.
        #expect(CaseNames.names(of: Int?.self) == nil)
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
private enum Numbers: Int, Codable { case a, b }
private struct Structure: Codable { var a = 1 }
private final class Object {}
