import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct CaseNamesTests {
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
        #expect(PlainCases.all(of: Plain.self)?.map(\.name) == ["b", "a"])
        #expect(PlainCases.all(of: Numbers.self)?.map(\.name) == ["a", "b"])
        #expect(PlainCases.all(of: Mixed.self) == nil)
        #expect(PlainCases.all(of: OneWithValue.self) == nil)
        // As large as a plain enum with two cases.
        #expect(PlainCases.all(of: SmallValue.self) == nil)
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

extension CaseNamesTests {
    fileprivate enum Plain: Codable { case b, a }
    fileprivate enum One: Codable { case only }
    fileprivate enum OneWithValue: Codable { case only(Int) }
    fileprivate enum SmallValue: Codable { case on(Bool), off }
    fileprivate enum Nothing {}
    fileprivate enum Generic<Value: Codable>: Codable { case left(Value), right }
    fileprivate enum Quoted: Codable { case `a case`, `default`, öäü }
    fileprivate indirect enum Mixed: Codable {
        case empty
        case labelled(a: Int)
        case nested(Mixed)
        case two(Int, String)
        case unlabelled(Int)
    }
    fileprivate enum Letters: CaseIterable, Codable {
        case a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z
    }
    fileprivate enum Numbers: Int, Codable { case a, b }
    fileprivate struct Structure: Codable { var a = 1 }
    fileprivate final class Object {}
}
