import Testing

/// A block that a test of its own runs: each case is used by the test that is named with it.
enum OwnBlock: CaseIterable {
    // `OutsidePackageTests` builds these as one package, and talks to it.
    case manifest, greeter, echo, stopwatch, todos, gitStatus, mailbox, orders, handler, children, money, smallServer
    case digest, townClock, typing, streaming, readying, log, counting, madeRows, tally, checkout, migration, renames
    case orderArguments, sharing, room, database
    // They are its tests and transcript, which `OutsidePackageTests` runs.
    case greeterTest, navigatorTest, overriding, testTarget, transcript, conversationTest
    // `OutsidePackageTests` runs these beside it.
    case client, clientOutput, new, contract, breakingChange, breakingState, breakingShared, migratedState, types
    case typeScript, typeScriptError
    // `TLSTests`.
    case nginx
    // `SeveralServersTests`.
    case haproxy, severalNginx, redis
    // `DocumentationTests`.
    case severalUnit, unit, connect, neovim, emacs, vim
    // `EmbeddingTests` runs it.
    case till
    // `OutsidePackageTests` builds it.
    case embeddedClient

    /// The document, and words that only this block of it has.
    private var place: (document: String, marker: String) {
        switch self {
        case .manifest: ("README.md", "swift-tools-version")
        case .greeter: ("README.md", "@main struct Greeter")
        case .client: ("README.md", "import json, subprocess")
        case .clientOutput: ("README.md", #""value":"Bonjour, Ada""#)
        case .echo: ("WritingViewModels.md", "actor EchoViewModel")
        case .stopwatch: ("WritingViewModels.md", "actor StopwatchViewModel")
        case .todos: ("WritingViewModels.md", "actor TodosViewModel")
        case .gitStatus: ("WritingViewModels.md", "actor GitStatusViewModel")
        case .mailbox: ("WritingViewModels.md", "actor MailboxViewModel")
        case .orders: ("WritingViewModels.md", "actor OrdersViewModel")
        case .sharing: ("WritingViewModels.md", "container.shared(BoardViewModel.self")
        case .room: ("WritingViewModels.md", "actor RoomViewModel")
        case .database: ("WritingViewModels.md", "actor ScreenOfDatabase")
        case .handler: ("WritingViewModels.md", "navigation.push(OrderDetailsViewModel.self")
        case .children: ("WritingViewModels.md", "registry.addChild(")
        case .greeterTest: ("WritingViewModels.md", "`a greeting is in")
        case .navigatorTest: ("WritingViewModels.md", "RecordingNavigator(in:")
        case .tally: ("WritingViewModels.md", "actor TallyViewModel")
        case .checkout: ("WritingViewModels.md", "actor CheckoutViewModel")
        case .migration: ("WritingViewModels.md", "actor NumbersViewModel")
        case .renames: ("WritingViewModels.md", "actor SumViewModel")
        case .orderArguments: ("WritingViewModels.md", "struct OrderArguments")
        case .typing: ("WritingViewModels.md", "case .query: .superseding")
        case .streaming: ("WritingViewModels.md", "output.stream(.line(line))")
        case .readying: ("WritingViewModels.md", "output.ready()")
        case .townClock: ("WritingViewModels.md", "struct TownClock")
        case .counting: ("WritingViewModels.md", "actor BasketViewModel")
        case .log: ("WritingViewModels.md", "actor JournalViewModel")
        case .madeRows: ("WritingViewModels.md", "let squares = Rows(")
        case .new: ("WritingViewModels.md", "swift run greeter new")
        case .transcript: ("Transcripts.md", #"{"transcript":1,"title":"A greeting"#)
        case .overriding: ("Transcripts.md", "transcript.replay(on: Greeter.self) {")
        case .testTarget: ("Transcripts.md", ".testTarget(")
        case .conversationTest: ("Transcripts.md", "func conversation(")
        case .contract: ("TheContract.md", "contract --check")
        case .breakingChange: ("TheContract.md", "  breaks clients  ")
        case .breakingState: ("TheContract.md", "  breaks stored   state")
        case .breakingShared: ("TheContract.md", "  breaks stored   shared")
        case .migratedState: ("TheContract.md", "  migrated  ")
        case .money: ("TheContract.md", "extension Money")
        case .types: ("TheContract.md", "contract --typescript web")
        case .typeScript: ("TheContract.md", "import type { Client }")
        case .typeScriptError: ("TheContract.md", "error TS2345")
        case .smallServer: ("RunningInProduction.md", "struct SmallServer")
        case .nginx: ("RunningInProduction.md", "ssl_certificate_key")
        case .unit: ("RunningInProduction.md", "ExecStart=")
        case .haproxy: ("SeveralServers.md", "option httpchk")
        case .severalNginx: ("SeveralServers.md", "least_conn")
        case .redis: ("SeveralServers.md", "maxmemory-policy noeviction\n")
        case .severalUnit: ("SeveralServers.md", "ExecStart=")
        case .digest: ("Troubleshooting.md", "slowDigest()")
        case .connect: ("GettingStarted.md", "$ view-model-server connect\n")
        case .neovim: ("WritingClients.md", "vim.lsp.start_client")
        case .emacs: ("WritingClients.md", "jsonrpc-process-connection")
        case .vim: ("WritingClients.md", "job_start")
        case .till: ("EmbeddingAServer.md", "@main struct Till")
        case .embeddedClient: ("EmbeddingAServer.md", "service.connect()")
        }
    }

    func block() throws -> Document.Block {
        let (name, marker) = place
        let document = try name == "README.md" ? Document.readme() : Document.article(name)
        return try #require(document.block(with: marker), "one block of \(name) has \(marker)")
    }
}
