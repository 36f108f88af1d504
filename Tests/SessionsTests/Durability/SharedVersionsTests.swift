import TestSupport
import Testing
import ViewModels

@testable import Sessions

/// Shared objects of code that has changed: names that `CodingKeys` keep, and versions that a hook reads.
@Suite(.inTurn) struct SharedVersionsTests {
    private static func saver(_ stored: [String: String]) -> SharedSaver {
        SharedSaver(stored.map { SavedValue(name: $0, text: Array($1.utf8)) })
    }

    private static func taken(of saver: SharedSaver) throws -> [String] {
        try saver.take(saver.changes()).map { "\($0.name)=\(String(decoding: $0.text, as: UTF8.self))" }.sorted()
    }

    private static func make<Object: DurableSingleton>(_ type: Object.Type) throws -> Object {
        try Object(container: Container(), arguments: ())
    }

    @Test(arguments: ["Basket/ids", "Shop.Basket.ids"])
    func `a renamed property has the value of its stored name, and keeps that name`(_ name: String) throws {
        let saver = Self.saver([name: "[1]"])
        let basket = try Self.make(Renamed.self)
        #expect(saver.unread(beside: [Renamed.self]) == [])
        try saver.add(basket, willChange: {})
        #expect(basket.orderIDs.wrappedValue == [1])
        #expect(try Self.taken(of: saver).contains("Basket/ids=[1]"))
        #expect(saver.unread(beside: []) == [])
    }

    @Test(arguments: ["Basket/ids", "Shop.Basket.ids"])
    func `an older version is read by the hook, and stored as the new one together`(_ name: String) throws {
        let note = name.replacing("ids", with: "note")
        let saver = Self.saver([name: "[1]", note: #""x""#, "Cart/ids": "[3]"])
        let basket = try Self.make(VersionTwo.self)
        // What the hook will read isn't read by nobody.
        #expect(saver.unread(beside: [VersionTwo.self]) == ["Cart/ids"])
        try saver.add(basket, willChange: {})
        #expect(basket.counts.wrappedValue == ["1": 1])
        // The hook says nothing of it, so it is as it was.
        #expect(basket.note.wrappedValue == "x")
        #expect(saver.unread(beside: []) == ["Cart/ids"])
        let gone = name == "Basket/ids" ? ["Basket/ids="] : ["Shop.Basket.ids=", "Shop.Basket.note="]
        let new = ["Basket/=2", #"Basket/counts={"1":1}"#, #"Basket/note="x""#]
        #expect(try Self.taken(of: saver) == (new + gone).sorted())
        #expect(try Self.taken(of: saver) == [])
    }

    @Test func `a new object has its version from the beginning, and is read by that version`() throws {
        let saver = Self.saver([:])
        try saver.add(Self.make(VersionTwo.self), willChange: {})
        #expect(try Self.taken(of: saver) == ["Basket/=2", "Basket/counts={}", #"Basket/note="""#])
        let next = Self.saver(["Basket/": "2", "Basket/counts": #"{"7":7}"#])
        let basket = try Self.make(VersionTwo.self)
        try next.add(basket, willChange: {})
        #expect(basket.counts.wrappedValue == ["7": 7])
        // The version is known, and isn't written again.
        #expect(try Self.taken(of: next) == [#"Basket/counts={"7":7}"#, #"Basket/note="""#])
    }

    @Test(
        arguments: [
            // Newer code has stored it.
            (
                ["Basket/": "2", "Basket/ids": "{}"],
                "its state was saved in version 2 by newer code, and this is version 1"
            ),
            (
                ["Basket/ids": "true"],
                """
                the saved value of 'ids' can't be read: expected an array but found a boolean; raise savedStateVersion to \
                2, and read version 1 in savedState(from:version:)
                """
            ),
            (["Basket/": "two", "Basket/ids": "[1]"], "the version that it was stored in isn't known"),
        ] as [([String: String], String)])
    func `what can't be read is an error, and stays in the store`(_ stored: [String: String], _ words: String) throws {
        let saver = Self.saver(stored)
        let error = #expect(throws: SavedPropertyError.self) { try saver.add(Self.make(Renamed.self), willChange: {}) }
        #expect(error?.description == "Basket: \(words)")
        #expect(try Self.taken(of: saver) == [])
        #expect(saver.unread(beside: []) == ["Basket/ids"])
    }

    @Test func `a property of another form that the hook says nothing of is an error`() throws {
        let saver = Self.saver(["Basket/ids": "[1]", "Basket/note": "5"])
        let error = #expect(throws: SavedPropertyError.self) {
            try saver.add(Self.make(VersionTwo.self), willChange: {})
        }
        #expect(error?.description.contains("gives no value for a property of another form: ") == true)
        #expect(error?.description.contains("'note'") == true)
    }
}

private final class Renamed: DurableSingleton {
    static let savedName = "Basket"

    enum CodingKeys: String, CodingKey {
        case orderIDs = "ids"
    }

    let orderIDs = Saved<[Int]>([])

    init(container: Container, arguments: Void) throws {}
}

private final class VersionTwo: DurableSingleton {
    static let savedName = "Basket"
    static let savedStateVersion = 2

    static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
        struct VersionOne: Decodable { var ids: [Int] }
        let ids = try VersionOne(from: decoder).ids
        return SavedProperties(["counts": Dictionary(ids.map { ("\($0)", 1) }, uniquingKeysWith: +)])
    }

    let counts = Saved<[String: Int]>([:])
    let note = Saved("")

    init(container: Container, arguments: Void) throws {}
}
