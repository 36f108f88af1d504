import TestSupport
import Testing
import ViewModels

@testable import Sessions

/// What is stored of shared objects, by names that stay when their types move.
@Suite(.inTurn) struct SharedSaverTests {
    private static func saver(_ stored: [String: String]) -> SharedSaver {
        SharedSaver(stored.map { SavedValue(name: $0, text: Array($1.utf8)) })
    }

    private static func taken(of saver: SharedSaver) throws -> [String] {
        try saver.take(saver.changes()).map { "\($0.name)=\(String(decoding: $0.text, as: UTF8.self))" }.sorted()
    }

    private static func make<Object: DurableSingleton>(_ type: Object.Type) throws -> Object {
        try Object(container: Container(), arguments: ())
    }

    @Test(arguments: [
        ["Wishlist/ids": "[1]"],
        // As older servers named it, and as they did when the type was in another module.
        ["SessionsTests.Wishlist.ids": "[1]"],
        ["Shop.Wishlist.ids": "[1]"],
        // What it has now goes before what a server of before has left.
        ["Wishlist/ids": "[1]", "Shop.Wishlist.ids": "[2]"],
        ["SessionsTests.Wishlist.ids": "[1]", "Shop.Wishlist.ids": "[2]"],
    ])
    func `an object has its values back, whichever module its type was in`(_ stored: [String: String]) throws {
        let saver = Self.saver(stored)
        let basket = try Self.make(Wishlist.self)
        try saver.add(basket)
        #expect(basket.ids.wrappedValue == [1])
    }

    @Test func `a stored name with slashes has its values back`() throws {
        let first = Self.saver([:])
        let made = try Self.make(Slashed.self)
        try first.add(made)
        made.ids.wrappedValue = [7]
        let stored = try first.take(first.changes())
        #expect(stored.map(\.name) == ["shop/new/ids"])
        let second = SharedSaver(stored)
        let back = try Self.make(Slashed.self)
        try second.add(back)
        #expect(back.ids.wrappedValue == [7])
        #expect(second.unread(beside: []) == [])
    }

    @Test func `a value of an older name is saved under the new one, and leaves nothing behind`() throws {
        let saver = Self.saver(["Shop.Wishlist.ids": "[1]", "Shop.Wishlist.notes": #""x""#])
        try saver.add(Self.make(Wishlist.self))
        #expect(try Self.taken(of: saver) == ["Shop.Wishlist.ids=", "Wishlist/ids=[1]"])
        #expect(try Self.taken(of: saver) == [])
        // Nobody has asked for this one, so it stays.
        #expect(saver.unread(beside: []) == ["Shop.Wishlist.notes"])
    }

    @Test(arguments: ["Wishlist/ids", "Wishlist.ids", "Shop.Wishlist.ids"])
    func `a type with a new name has the values of the one that it says`(_ name: String) throws {
        let saver = Self.saver([name: "[3]"])
        #expect(saver.unread(beside: []) == [name])
        let renamed = try Self.make(Renamed.self)
        try saver.add(renamed)
        #expect(renamed.ids.wrappedValue == [3])
        #expect(saver.unread(beside: []) == [])
        #expect(try Self.taken(of: saver).last == "Wishlist/ids=[3]")
    }

    @Test func `where two modules had a type of this name, neither's values are taken for the other's`() throws {
        let saver = Self.saver(["Shop.Wishlist.ids": "[1]", "Store.Wishlist.ids": "[2]"])
        let basket = try Self.make(Wishlist.self)
        try saver.add(basket)
        #expect(basket.ids.wrappedValue == [])
        #expect(saver.unread(beside: []) == ["Shop.Wishlist.ids", "Store.Wishlist.ids"])
    }

    @Test func `what nothing reads is named, and isn't written again`() throws {
        let saver = Self.saver(["Cart/ids": "[1]", "Wishlist/gone": "1", "Wishlist/ids": "[2]", "Wishlist/empty": ""])
        try saver.add(Self.make(Wishlist.self))
        #expect(saver.unread(beside: []) == ["Cart/ids", "Wishlist/gone"])
        #expect(try Self.taken(of: saver) == ["Wishlist/ids=[2]"])
    }

    @Test func `what a view model's object is to read once it is made isn't named`() throws {
        let saver = Self.saver(["Cart/ids": "[1]", "Wishlist/gone": "1", "Shop.Wishlist.ids": "[2]"])
        #expect(saver.unread(beside: [Wishlist.self]) == ["Cart/ids", "Wishlist/gone"])
    }

    @Test func `a second type of the same stored name is refused`() throws {
        let saver = Self.saver([:])
        try saver.add(Self.make(Wishlist.self))
        #expect(throws: SameSavedName.self) { try saver.add(Self.make(Renamed.self)) }
        // The same one, made anew.
        try saver.add(Self.make(Wishlist.self))
    }

    @Test(arguments: [
        ("Wishlist/ids", "Wishlist"), ("Shop.Wishlist.ids", "Wishlist"), ("Shop.Cart.Wishlist.ids", "Cart.Wishlist"),
    ])
    func `the log says which name an object must have to read it`(_ stored: String, _ name: String) {
        #expect(SharedNames.object(stored) == name)
    }
}

private final class Wishlist: DurableSingleton {
    let ids = Saved<[Int]>([])

    init(container: Container, arguments: Void) throws {}
}

private final class Slashed: DurableSingleton {
    static let savedName = "shop/new"

    let ids = Saved<[Int]>([])

    init(container: Container, arguments: Void) throws {}
}

private final class Renamed: DurableSingleton {
    static let savedName = "Wishlist"

    let ids = Saved<[Int]>([])

    init(container: Container, arguments: Void) throws {}
}

extension SharedSaver {
    /// Changes are of no handler.
    fileprivate func add(_ singleton: any DurableSingleton) throws {
        try add(singleton, willChange: {})
    }
}
