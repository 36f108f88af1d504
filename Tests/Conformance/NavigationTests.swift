import Glibc
import Testing

/// A thin client that follows the server's navigation, with the executable.
@Suite(.ownThread, .enabled(if: Tool.python.isInstalled, "Python isn't installed")) struct NavigationTests {
    /// The output of `navigation.py` for the client that drives; `seen` follows each step.
    private static func story(seen: (String) -> [String], late: [String] = []) -> [String] {
        let orders = "    orders · 8 orders"
        let details = "    orderDetails · Details of Order #7"
        return ["a selected an order", orders, details] + seen("selected an order")
            + ["a wants it cancelled", orders, details, "      confirmCancel · Cancel Order #7?"]
            + seen("wants it cancelled") + late
            + ["a confirmed", "\(orders) · cancelled", "\(details) · cancelled"] + seen("confirmed")
            + ["a navigation/back: error -32600 {'refused': \"the note isn't saved\"}"]
            + ["a saved a note", "\(orders) · cancelled", "\(details) · cancelled · note 'call them'"]
            + seen("saved a note")
            + ["a went back", "\(orders) · cancelled"] + seen("went back")
            + ["a navigation/back: error -32600"]
    }

    private let script = Checkout.conformance("Clients/navigation.py")

    @Test func `a client walks from orders to details, to a question, and back`() throws {
        let python = try Program(Tool.python.command, [script, "stdio", Checkout.server, "--stdio"])
        #expect(try python.lines() == Self.story(seen: { _ in [] }) + ["the server ended with status 0"])
        #expect(try python.end() == .status(0), "\(python.report)")
    }

    @Test func `one client drives, another one watches, and one that comes late sees the same`() throws {
        let server = try Program.server("--tcp", "0")
        let address = try server.listeningAddress()
        let python = try Program(Tool.python.command, [script, "tcp", address, address])
        var isLateThere = false
        let story = Self.story(
            seen: { step in
                defer { isLateThere = isLateThere || step == "wants it cancelled" }
                return ["b"].map { "\($0) sees the same: \(step)" } + (isLateThere ? ["c sees the same: \(step)"] : [])
            }, late: ["c sees the same: came late"])
        #expect(try python.lines() == story)
        #expect(try python.end() == .status(0), "\(python.report)")
        try server.signal(SIGTERM)
        #expect(try server.end() == .status(0))
    }
}
