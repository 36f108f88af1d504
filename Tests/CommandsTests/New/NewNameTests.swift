import Testing

@testable import Commands

@Suite struct NewNameTests {
    @Test(arguments: [
        ("OrderDetails", "OrderDetails", "orderDetails", "Order Details"),
        ("orderDetails", "OrderDetails", "orderDetails", "Order Details"),
        ("OrderDetailsViewModel", "OrderDetails", "orderDetails", "Order Details"),
        ("orderDetailsViewModel", "OrderDetails", "orderDetails", "Order Details"),
        ("Orders", "Orders", "orders", "Orders"), ("x", "X", "x", "X"),
        ("URLBar", "URLBar", "urlBar", "URL Bar"), ("URL", "URL", "url", "URL"), ("URL2", "URL2", "url2", "URL2"),
        ("urlBar", "UrlBar", "urlBar", "Url Bar"), ("Step2Done", "Step2Done", "step2Done", "Step2 Done"),
        ("showURL", "ShowURL", "showURL", "Show URL"), ("AView", "AView", "aView", "A View"),
        ("Import", "Import", "import", "Import"),
    ])
    func `a name is one in Swift, one for clients and one for people`(
        _ text: String, _ type: String, _ registered: String, _ title: String
    ) throws {
        let name = try NewName(text)
        #expect(name.type == type)
        #expect(name.registered == registered)
        #expect(name.title == title)
        #expect(name.viewModel == "\(type)ViewModel")
        #expect(name.view == "\(type)View")
    }

    @Test(arguments: [
        "", "ViewModel", "1st", "order-details", "order_details", "order details", "Order/Details", "../Orders",
        "Orders.swift", "Größe", "Orders\n", "`class`", "٣", "a٣",
    ])
    func `what is no name is refused, and says what is one`(_ text: String) {
        let error = #expect(throws: UsageError.self) { try NewName(text) }
        #expect(error?.message.hasPrefix("'\(text)' is no name") ?? false)
        #expect(error?.message.contains("OrderDetails or orderDetails") ?? false)
    }

    @Test(arguments: ["class", "import", "Any", "Self", "self", "where", "importViewModel"])
    func `a keyword is refused`(_ text: String) {
        let error = #expect(throws: UsageError.self) { try NewName(text) }
        #expect(error?.message.hasPrefix("'\(text)' is a keyword") ?? false)
    }

    @Test(arguments: ["Observable", "notifying", "HostableViewModel"])
    func `a name that would hide a protocol of view models is refused`(_ text: String) {
        let error = #expect(throws: UsageError.self) { try NewName(text) }
        #expect(error?.message.contains("is taken") ?? false)
    }
}
