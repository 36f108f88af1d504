import FoundationEssentials
import Testing

/// The package that a reader of the README and the articles has in the end: every block of Swift is in it. Only types that
/// the text leaves to the reader are added.
struct DocumentedPackage {
    /// In the place of what is in `folder`.
    func write(to folder: TemporaryFolder) throws {
        for name in ["Sources", "Tests"] { try FileManager.default.removeItem(atPath: folder.file(name)) }
        for name in ["Sources/greeter", "Tests/greeterTests/Transcripts"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
        for (name, text) in [
            ("Package.swift", try manifest()),
            ("Sources/greeter/Greeter.swift", try source()),
            ("Tests/greeterTests/GreeterTests.swift", try OwnBlock.greeterTest.block().text),
            ("Tests/greeterTests/NavigationTests.swift", try OwnBlock.navigatorTest.block().text + Self.sampleOrders),
            ("Tests/greeterTests/OverridingTests.swift", try overriding()),
            ("Tests/greeterTests/ConversationTests.swift", try OwnBlock.conversationTest.block().text),
            ("Tests/greeterTests/Transcripts/greeter.jsonl", try OwnBlock.transcript.block().text),
        ] {
            try text.write(toFile: folder.file(name), atomically: false, encoding: .utf8)
        }
    }

    private func overriding() throws -> String {
        """
        import Testing
        import TranscriptTesting

        @testable import greeter

        @Test func overriding() async {
            let transcript = Transcript("Transcripts/greeter.jsonl")
            \(try OwnBlock.overriding.block().text)
        }
        """
    }

    private static let sampleOrders = """

        struct SampleOrders: OrdersProvider { var orders: [String] { ["Tea", "Milk"] } }
        """

    private func manifest() throws -> String {
        let text = try OwnBlock.manifest.block().text
        let end = "        )\n    ]\n)\n"
        try #require(text.contains(#""../view-model-server""#) && text.hasSuffix(end))
        let withTests =
            try String(text.dropLast(end.count)) + "        ),\n\(OwnBlock.testTarget.block().text)    ]\n)\n"
        return withTests.replacing("../view-model-server", with: Checkout.root)
    }

    private func source() throws -> String {
        let greeter = try OwnBlock.greeter.block().text
        let orders = try OwnBlock.orders.block()
        try #require(orders.text.contains("    // …\n"))
        let isRegistration = { (line: String) in line.hasPrefix("registry.") }
        let model = try orders.lines.filter { !isRegistration($0) }.joined(separator: "\n")
            .replacing("    // …\n", with: Self.ordersMembers + OwnBlock.handler.block().text)
        let own = "        registry.add(\"greeter\") { GreeterViewModel($0) }\n"
        try #require(greeter.contains(own))
        let children = try OwnBlock.children.block().lines
        let sharing = try OwnBlock.sharing.block()
        let screen = sharing.lines.filter { !isRegistration($0) }.joined(separator: "\n")
        let registrations =
            orders.lines.filter(isRegistration) + children + sharing.lines.filter(isRegistration) + Self.registrations
        return try [
            greeter.replacing(own, with: own + registrations.joined(separator: "\n") + "\n"),
            OwnBlock.echo.block().text, OwnBlock.stopwatch.block().text, OwnBlock.todos.block().text, model,
            OwnBlock.tally.block().text, OwnBlock.migration.block().text, OwnBlock.checkout.block().text,
            Self.checkoutNeighbours, OwnBlock.renames.block().text, OwnBlock.orderArguments.block().text,
            OwnBlock.gitStatus.block().text, OwnBlock.mailbox.block().text, Self.lifeNeighbours,
            screen, Self.sharingNeighbours, OwnBlock.room.block().text, OwnBlock.database.block().text,
            "protocol Database: Sendable { func save(_ card: Card) async throws }",
            Self.ordersNeighbours, OwnBlock.money.block().text, Self.moneyNeighbours,
            OwnBlock.smallServer.block().text,
            OwnBlock.townClock.block().text.replacing("@main ", with: ""), Self.townClockNeighbours, Self.digestHead,
            OwnBlock.digest.block().text, "}", "enum Typing {", OwnBlock.typing.block().text, "}",
            Self.streamingHead, OwnBlock.streaming.block().text, OwnBlock.readying.block().text, "} }",
            "import ViewModelClient", OwnBlock.embeddedClient.block().text,
            OwnBlock.counting.block().text,
            OwnBlock.log.block().text, "func madeRows() {", OwnBlock.madeRows.block().text, "_ = squares }",
        ].joined(separator: "\n")
    }

    private static let registrations = [
        #"registry.add("echo") { EchoViewModel() }"#, #"registry.add("stopwatch") { StopwatchViewModel() }"#,
        #"registry.add("todos") { TodosViewModel() }"#, #"registry.add("shop") { ShopViewModel() }"#,
        #"registry.add("digest") { DigestViewModel() }"#, #"registry.add("tally") { TallyViewModel() }"#,
        #"registry.add("gitStatus") { GitStatusViewModel(Repository(), clock: try $0.resolve()) }"#,
        #"registry.add("mailbox") { MailboxViewModel(PostOffice()) }"#,
    ]

    private static let ordersMembers = """
            enum ViewEvent: Codable { case selectOrder(index: Int), cancelOrder, done }
            enum ViewModelEvent: Codable { case orders([String]) }
            struct Arguments: Codable {}

            let output = Output<ViewModelEvent>()
            private var orders: [String] { provider.orders }
            private var order: String { orders.first ?? "" }

            func start() { output.send(.orders(orders)) }

        """

    private static let lifeNeighbours = """
        actor Repository {
            func status() throws -> String { "clean" }
            func close() {}
        }

        struct PostOffice: Sendable {
            func letters(for person: String) async -> [String] { ["Dear \\(person)"] }
        }

        struct NotYours: Error {}

        """

    private static let sharingNeighbours = """
        enum Column: String, Codable { case toDo, done }

        struct Card: Codable, Identifiable {
            let id: Int
            var title: String
        }

        actor BoardViewModel: ViewModel, DurableViewModel {
            struct Arguments: Codable { var board: String? }
            enum ViewEvent: Codable { case move(id: Int, to: Column) }
            enum ViewModelEvent: Codable { case moved(Card) }

            let output = Output<ViewModelEvent>()
            let toDo = Rows([Card(id: 1, title: "Milk")])

            init(arguments: Arguments) {}

            func handle(event: ViewEvent) {
                guard case .move(let id, _) = event, let card = toDo.all.first(where: { $0.id == id }) else { return }
                toDo.remove(at: 0)
                output.send(.moved(card))
            }
        }

        """

    private static let checkoutNeighbours = """
        protocol Payments: Sendable { func charge(key: String) async throws }

        """

    private static let ordersNeighbours = """
        protocol OrdersProvider: Sendable { var orders: [String] { get } }

        struct LiveOrders: OrdersProvider { var orders: [String] { ["Tea", "Milk"] } }

        actor OrderDetailsViewModel: ObservableViewModel, PerRequest {
            enum ViewEvent: Codable { case done }
            @Observed var order: String
            private let navigation: NavigationService

            init(container: Container, arguments: String) throws {
                _order = Observed(wrappedValue: arguments)
                navigation = try container.resolve()
            }

            func handle(event: ViewEvent) { navigation.pop() }
        }

        @MainActor final class ConfirmCancelViewModel: NotifyingViewModel, PerRequest {
            enum ViewEvent: Codable { case no }
            let changed = Event<Void>()
            let state: String
            private let presenter: PresenterService

            nonisolated init(container: Container, arguments: String) throws {
                state = "Cancel \\(arguments)?"
                presenter = try container.resolve()
            }

            func handle(event: ViewEvent) { presenter.dismiss() }
        }

        """

    /// A price is a string on the wire.
    private static let moneyNeighbours = """
        struct Money: Codable {
            var cents: Int
            var currency: String

            init(cents: Int, currency: String) {
                self.cents = cents
                self.currency = currency
            }

            init(from decoder: any Decoder) throws {
                let parts = try decoder.singleValueContainer().decode(String.self).split(separator: " ")
                self.init(cents: Int(parts[0].filter { $0 != "." }) ?? 0, currency: String(parts[1]))
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode("\\(cents / 100).\\(cents % 100 / 10)\\(cents % 10) \\(currency)")
            }
        }

        actor ShopViewModel: ViewModel {
            enum ViewEvent: Codable { case buy }
            enum ViewModelEvent: Codable { case price(Money) }
            let output = Output<ViewModelEvent>()
            func start() { output.send(.price(Money(cents: 1234, currency: "EUR"))) }
            func handle(event: ViewEvent) {}
        }

        """

    private static let townClockNeighbours = """
        struct Zone: Sendable {
            init(of town: String) async throws {}
            static func save() async {}
        }

        actor ClockViewModel: ViewModel {
            enum ViewEvent: Codable { case stop }
            enum ViewModelEvent: Codable { case time(String) }
            let output = Output<ViewModelEvent>()
            init(_ zone: Zone, every: Duration, isTwelve: Bool) {}
            func handle(event: ViewEvent) {}
        }

        """

    private static let streamingHead = """
        actor LogViewModel: ViewModel {
            enum ViewEvent: Codable { case start }
            enum ViewModelEvent: Codable { case line(String) }
            let output = Output<ViewModelEvent>()
            let log = (lines: AsyncStream<String> { nil }, name: "log")
            private var lines: [String] = []

            func handle(event: ViewEvent) async throws {

        """

    private static let digestHead = """
        func slowDigest() -> Int { (0..<1000).reduce(0, +) }

        actor DigestViewModel: ViewModel {
            enum ViewEvent: Codable { case start }
            enum ViewModelEvent: Codable { case digest(Int) }
            let output = Output<ViewModelEvent>()

        """
}
