import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// Every thin client, in its real host program, against one server: it walks through the orders, loses its connection and comes
/// back, and whatever else its own tests ask of it.
///
/// They wait for what they see most of the time, for minutes in all. So they begin at once, beside all other tests: with a turn
/// among the others they might come last, and alone. Three run at a time: with more, a terminal is so slow that a story takes a
/// key for lost.
@Suite(.oneServer, .ownThreadAtOnce) struct ClientsTests {
    private static let turns = Turns(3)

    /// Why a client isn't driven here is shown by `every host program is there`.
    @Test(.drivesHostPrograms, arguments: ThinClient.all.filter(\.isInstalled))
    func `a client does in its host program what its tests ask`(_ client: ThinClient) async throws {
        await Self.turns.begin()
        defer { Self.turns.end() }
        try Self.run(client)
    }

    /// One run of a client's tests, and everything that it wrote.
    private struct Story {
        let passed: Bool
        let log: String

        init(of client: ThinClient, on address: String) throws {
            let tests = try Program(
                "\(client.folder)/tests/run",
                environment: ["VIEW_MODEL_SERVER": Checkout.server, "VIEW_MODEL_ADDRESS": address])
            let lines = try tests.lines()
            let ending = try tests.end()
            log = try (lines + [tests.errorText(), "\(ending)"]).joined(separator: "\n")
            // It says what it checks.
            passed = ending == .status(0) && !lines.isEmpty
        }
    }

    /// Those that failed, and passed when they were run once more.
    private static let flaky = Mutex<[String]>([])

    /// A story of a real program that fails is run once more, since a terminal or a browser may have a bad moment. Each such
    /// story is a defect to find, so it is shown, and two in one run fail.
    private static func run(_ client: ThinClient) throws {
        let address = try #require(OneServer.address)
        let start = ContinuousClock.now
        let first = try Story(of: client, on: address)
        // For `ThinClient.all`.
        print("the story of \(client.name) took \((ContinuousClock.now - start).components.seconds) s")
        if first.passed { return }
        let second = try Story(of: client, on: address)
        guard second.passed else {
            Issue.record("\(first.log)\n\nonce more:\n\(second.log)")
            return
        }
        print("flaky: \(client.name)\n\(first.log)\n\nonce more:\n\(second.log)")
        let all = flaky.withLock { names in
            names.append(client.name)
            return names
        }
        #expect(all.count < 2, "flaky in this run: \(all)")
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

    @Test(arguments: ThinClient.all.map(\.name) + ["swift", "terminal"])
    func `a client says in its folder how it is installed and used`(_ name: String) throws {
        let readme = try String(contentsOfFile: "\(Checkout.root)/clients/\(name)/README.md", encoding: .utf8)
        #expect(readme.hasPrefix("# ") && readme.contains("```"))
        // A few screens at most.
        #expect(readme.split(separator: "\n").count <= 140)
    }
}
