import FoundationEssentials
import Testing

/// Every thin client, in its real host program, against one server: it walks through the orders, loses its connection and comes
/// back, and whatever else its own tests ask of it.
@Suite(.oneServer, .ownThread, .serialized) struct ClientsTests {
    /// Why a client isn't driven here is shown by `every host program is there`.
    @Test(arguments: ThinClient.all.filter { $0.isInstalled && $0.name != "web" })
    func `a client does in its host program what its tests ask`(_ client: ThinClient) throws {
        try Self.run(client)
    }

    fileprivate static func run(_ client: ThinClient) throws {
        let address = try #require(OneServer.address)
        let tests = try Program(
            "\(client.folder)/tests/run",
            environment: ["VIEW_MODEL_SERVER": Checkout.server, "VIEW_MODEL_ADDRESS": address])
        let lines = try tests.lines()
        let ending = try tests.end()
        let errors = try tests.errorText()
        #expect(ending == .status(0), "\(lines.joined(separator: "\n"))\n\(errors)")
        #expect(!lines.isEmpty, "it says what it checks")
    }

    /// In a terminal it is driven by `ConnectTests`, and the client in Swift has its own tests, which use the same server.
    @Test func `connect walks through the orders`() throws {
        try ConnectTests.expectWalk(on: [try #require(OneServer.address)])
    }

    @Test(
        .enabled(
            if: ThinClient.all.allSatisfy(\.isInstalled),
            "not all host programs are installed: \(ThinClient.all.filter { !$0.isInstalled }.map(\.name)) can't be driven"
        ))
    func `every host program is there`() {
        #expect(!ThinClient.all.isEmpty)
    }

    @Test func `no client is forgotten`() throws {
        #expect(try ThinClient.folders() == Set(ThinClient.all.map(\.name)))
    }

    @Test(arguments: ThinClient.all.map(\.name) + ["swift"])
    func `a client says in its folder how it is installed and used`(_ name: String) throws {
        let readme = try String(contentsOfFile: "\(Checkout.root)/clients/\(name)/README.md", encoding: .utf8)
        #expect(readme.hasPrefix("# ") && readme.contains("```"))
        // A few screens at most.
        #expect(readme.split(separator: "\n").count <= 140)
    }
}

/// The page waits for its browser most of the time, and as long as all others together: so it has a turn of its own.
@Suite(.oneServer, .ownThread) struct PageTests {
    fileprivate static let page = ThinClient.all.first { $0.name == "web" }

    @Test(.enabled(if: page?.isInstalled == true, "Chromium and its driver aren't installed"))
    func `the page does in its browser what its tests ask`() throws {
        try ClientsTests.run(try #require(Self.page))
    }
}
