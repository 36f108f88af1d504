import Testing

@testable import ViewModels

struct TypeNamesTests {
    @Test(arguments: [
        ("Shop.Basket", "Basket"),
        ("Shop.Cart.Basket", "Cart.Basket"),
        ("Finder.Page<Finder.File>", "Page<File>"),
        ("Finder.Page<Finder.File>.Row", "Page<File>.Row"),
        ("Finder.Pair<Swift.Int, Swift.Array<Shop.Order.ID>>", "Pair<Int, Array<Order.ID>>"),
        ("Finder.Box<(Swift.Int) -> Swift.String>", "Box<(Int) -> String>"),
        ("Finder.Box<any Shop.Pricing & Shop.Taxed>", "Box<any Pricing & Taxed>"),
        ("Shop.`a.b, c`.items", "`a.b, c`.items"),
        ("Shop.Basket.ids", "Basket.ids"),
        ("Basket", "Basket"),
        ("", ""),
    ])
    func `a name without its modules is the same in each module`(_ name: String, _ short: String) {
        #expect(TypeNames.withoutModules(name) == short)
    }

    @Test func `a singleton is stored under its type's name without the module, unless it says another one`() {
        #expect(Basket.savedName == "Basket")
        #expect(Cart.Basket.savedName == "Cart.Basket")
        #expect(Page<Int>.savedName == "Page<Int>")
        #expect(Renamed.savedName == "Basket")
        // What is stored is a session's.
        #expect(Basket.scope == .session)
    }
}

private final class Basket: DurableSingleton {
    init(container: Container, arguments: Void) {}
}

private enum Cart {
    final class Basket: DurableSingleton {
        init(container: Container, arguments: Void) {}
    }
}

private final class Page<Row: Sendable>: DurableSingleton {
    init(container: Container, arguments: Void) {}
}

private final class Renamed: DurableSingleton {
    static var savedName: String { "Basket" }

    init(container: Container, arguments: Void) {}
}
