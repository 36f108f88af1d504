// swift-tools-version: 6.2

import PackageDescription

// Targets stand in the order of the floors: each names only targets above it in this list.
// Sources/README.md is the map; a test holds the arrows against `swift package dump-package`.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "view-model-server",
    products: [
        .library(name: "ViewModels", targets: ["ViewModels"]),
        .library(name: "ViewModelServer", targets: ["ViewModelServer"]),
        .library(name: "ViewModelClient", targets: ["ViewModelClient"]),
        .library(name: "TranscriptTesting", targets: ["TranscriptTesting"]),
        .executable(name: "view-model-server", targets: ["view-model-server"]),
        .plugin(name: "contract", targets: ["ContractPlugin"]),
    ],
    targets: [
        // -2: kernel headers that the system module lacks.
        .target(name: "CLinux"),
        // -1: the C library, and these, in one import.
        .target(name: "LibC", dependencies: ["CLinux"], swiftSettings: settings),
        // -1: a queue for everybody, and work for later.
        .target(name: "Queues", swiftSettings: settings),
        // 0: the MVVM core; knows no I/O, no JSON, no thread.
        .target(name: "ViewModels", swiftSettings: settings),
        // 0: bytes <-> values.
        .target(name: "JSON", swiftSettings: settings),
        // 0: what a browser is given, from `clients`.
        .target(name: "WebClient"),
        // 0: the articles of `ViewModelServer.docc`, for the command `help`.
        .target(name: "Manual"),
        // 0: the rules for clients, of `clients/rules`, for the command `conform`.
        .target(name: "ClientStories"),
        // 0: bytes <-> kernel; knows no message and no session.
        .target(name: "Transport", dependencies: ["Queues", "LibC"], swiftSettings: settings),
        // 1: messages, ids, errors, framing; values only.
        .target(name: "JSONRPC", dependencies: ["Queues", "JSON"], swiftSettings: settings),
        // 1: the page's views of the examples, from `clients`; for the executable of the examples.
        .target(name: "WebExamples", dependencies: ["WebClient"]),
        // 1: hosting view models: number, keep, replay.
        .target(name: "Sessions", dependencies: ["Queues", "ViewModels", "JSON"], swiftSettings: settings),
        // 2: engines that keep durable sessions.
        .target(name: "Stores", dependencies: ["LibC", "Transport", "Sessions"], swiftSettings: settings),
        // 2: every message of the protocol as a type; schemas and tables are made of them.
        .target(name: "ViewModelProtocol", dependencies: ["JSON", "JSONRPC"], swiftSettings: settings),
        // 3: recorded conversations: record them, play one side, check the other.
        .target(
            name: "Transcripts", dependencies: ["Queues", "LibC", "JSON", "Transport", "JSONRPC", "ViewModelProtocol"],
            swiftSettings: settings),
        // 3: what clients and view models may say to each other, as schemas and as types for clients.
        .target(
            name: "Contracts", dependencies: ["ViewModels", "JSON", "JSONRPC", "ViewModelProtocol"],
            swiftSettings: settings),
        // 3: the other side: a client for applications in Swift.
        .target(
            name: "ViewModelClient",
            dependencies: ["ViewModels", "JSON", "Transport", "JSONRPC", "ViewModelProtocol"],
            path: "clients/swift/Sources/ViewModelClient",
            swiftSettings: settings
        ),
        // 4: the client for a terminal, as the command `connect` starts it.
        .target(
            name: "TerminalClient",
            dependencies: [
                "LibC", "ViewModels", "JSON", "Transport", "JSONRPC", "ViewModelProtocol", "Transcripts", "Contracts",
                "ViewModelClient",
            ],
            path: "clients/terminal/Sources/TerminalClient",
            swiftSettings: settings
        ),
        // 4: what a client must do, played against it.
        .target(
            name: "ClientRules",
            dependencies: [
                "Queues", "JSON", "Transport", "ClientStories", "JSONRPC", "ViewModelProtocol", "Transcripts",
            ],
            swiftSettings: settings
        ),
        // 4: serving view models: connections, methods, web.
        .target(
            name: "Serving",
            dependencies: [
                "Queues", "ViewModels", "JSON", "Transport", "WebClient", "JSONRPC", "Sessions", "ViewModelProtocol",
                "Transcripts", "Contracts",
            ],
            swiftSettings: settings
        ),
        // 5: the view that the terminal has of the example `finder`; for the executable of the examples.
        .target(
            name: "TerminalFinder",
            dependencies: [
                "JSON", "JSONRPC", "ViewModelProtocol", "Transcripts", "Contracts", "ViewModelClient", "TerminalClient",
            ],
            path: "clients/terminal/Sources/TerminalFinder",
            swiftSettings: settings
        ),
        // 5: a server that somebody has started: threads, store, listeners, end.
        .target(
            name: "Hosting",
            dependencies: ["LibC", "Transport", "Sessions", "Stores", "Serving"],
            swiftSettings: settings
        ),
        // 6: the command line, a command a file.
        .target(
            name: "Commands",
            dependencies: [
                "LibC", "ViewModels", "JSON", "Transport", "Manual", "JSONRPC", "Sessions", "ViewModelProtocol",
                "Transcripts", "Contracts", "ViewModelClient", "Stores", "TerminalClient", "ClientRules", "Serving",
                "Hosting",
            ],
            swiftSettings: settings
        ),
        // 7: the product that users import: `Server`.
        .target(
            name: "ViewModelServer",
            dependencies: [
                "ViewModels", "JSON", "Transport", "Contracts", "Sessions", "ViewModelClient", "Stores", "Serving",
                "Hosting", "Commands",
            ],
            swiftSettings: settings),
        // 8: transcripts as tests; alone, since what imports Testing drags its library into every executable.
        .target(
            name: "TranscriptTesting",
            dependencies: [
                "ViewModels", "Transport", "Sessions", "Transcripts", "Serving", "Commands", "ViewModelServer",
            ],
            swiftSettings: settings
        ),
        // 8: Hello, Counter, Orders, written as a user's package would be.
        .target(name: "Examples", dependencies: ["ViewModels", "ViewModelServer"], swiftSettings: settings),
        // 9: the executable.
        .executableTarget(
            name: "view-model-server",
            dependencies: [
                "WebExamples", "TerminalFinder", "Serving", "Commands", "ViewModelServer", "Examples",
            ],
            swiftSettings: settings
        ),
        // What one types as `swift package contract`.
        .plugin(
            name: "ContractPlugin",
            capability: .command(
                intent: .custom(verb: "contract", description: "Writes the contract of this package's view models."),
                permissions: [.writeToPackageDirectory(reason: "The contract stands in Schemas.")]
            ),
            path: "Sources/ContractPlugin"
        ),

        // What tests share: a manual clock, gates, recorders.
        .target(
            name: "TestSupport", dependencies: ["LibC", "Transcripts"], path: "Tests/Support", swiftSettings: settings),
        // What holds values against the schemas of Schemas.
        .target(
            name: "SchemaValidation", dependencies: ["JSON"], path: "Tests/SchemaValidation", swiftSettings: settings),
        // A mirror of Sources.
        .testTarget(name: "ViewModelsTests", dependencies: ["ViewModels", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "QueuesTests", dependencies: ["Queues", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "TransportTests", dependencies: ["CLinux", "LibC", "Queues", "Transport", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "JSONRPCTests", dependencies: ["JSON", "JSONRPC", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "ViewModelProtocolTests", dependencies: ["JSON", "JSONRPC", "ViewModelProtocol", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SessionsTests",
            dependencies: ["Queues", "ViewModels", "JSON", "Sessions", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoresTests", dependencies: ["LibC", "Transport", "Sessions", "Stores", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "TranscriptsTests",
            dependencies: ["JSON", "Transport", "JSONRPC", "ViewModelProtocol", "Transcripts", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ClientRulesTests",
            dependencies: ["ViewModels", "JSON", "Transcripts", "ViewModelClient", "ClientRules", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ContractsTests",
            dependencies: [
                "ViewModels", "JSON", "JSONRPC", "Sessions", "ViewModelProtocol", "Contracts", "Serving",
                "ViewModelServer", "Examples", "SchemaValidation", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ServingTests",
            dependencies: [
                "ViewModels", "JSON", "Transport", "JSONRPC", "Sessions", "ViewModelProtocol", "Transcripts",
                "Contracts", "Stores", "Serving", "Examples", "TestSupport", "SchemaValidation",
            ],
            swiftSettings: settings
        ),
        // The whole server in virtual time, by seeds; and several with one store.
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "LibC", "ViewModels", "JSON", "Transport", "JSONRPC", "Sessions", "Stores", "ViewModelProtocol",
                "Transcripts", "Serving", "TestSupport",
            ],
            path: "Tests/Simulation",
            swiftSettings: settings
        ),
        .testTarget(
            name: "CommandsTests",
            dependencies: [
                "LibC", "ViewModels", "JSON", "Transport", "Sessions", "Stores", "Contracts", "Hosting", "Commands",
                "Examples",
                "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TerminalClientTests",
            dependencies: ["Contracts", "ViewModelClient", "TerminalClient", "Examples", "TestSupport"],
            path: "clients/terminal/Tests/TerminalClientTests",
            swiftSettings: settings
        ),
        .testTarget(
            name: "TerminalFinderTests",
            dependencies: ["Contracts", "ViewModelClient", "TerminalClient", "TerminalFinder", "TestSupport"],
            path: "clients/terminal/Tests/TerminalFinderTests",
            swiftSettings: settings
        ),
        .testTarget(
            name: "ViewModelClientTests",
            dependencies: [
                "ViewModels", "JSON", "Transport", "JSONRPC", "Sessions", "ViewModelClient", "Serving",
                "Examples", "TestSupport", "view-model-server",
            ],
            path: "clients/swift/Tests/ViewModelClientTests",
            swiftSettings: settings
        ),
        .testTarget(
            name: "ViewModelServerTests",
            dependencies: ["LibC", "ViewModelClient", "Commands", "ViewModelServer", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "TranscriptTestingTests",
            dependencies: [
                "ViewModels", "Transport", "Transcripts", "Serving", "Commands", "ViewModelServer", "TranscriptTesting",
                "Examples", "TestSupport",
            ],
            exclude: ["Transcripts"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "ViewModels", "Sessions", "Transcripts", "Serving", "ViewModelServer", "TranscriptTesting", "Examples",
                "TestSupport",
            ],
            exclude: ["Typing"],
            swiftSettings: settings),
        .testTarget(
            name: "SchemaValidationTests", dependencies: ["JSON", "SchemaValidation"], swiftSettings: settings),
        .testTarget(
            name: "BenchmarkingTests", dependencies: ["Benchmarking", "JSON"], swiftSettings: settings),
        // The executable as others meet it: a process, real editors, a package of one's own, the layout itself.
        // A user's server with names of examples and contracts of its own, for the tests of the clients.
        .executableTarget(
            name: "Shop", dependencies: ["ViewModelServer"], path: "Tests/Shop", resources: [.copy("PageViews")],
            swiftSettings: settings),
        // A program of a user's own with a service in it, as an article shows it.
        .executableTarget(
            name: "till", dependencies: ["ViewModelServer"], path: "Tests/Embedder", swiftSettings: settings),
        // The client in Swift, driven by the command `conform`.
        .executableTarget(
            name: "client-driver", dependencies: ["LibC", "JSON", "ViewModelClient"],
            path: "clients/swift/Tests/Driver",
            swiftSettings: settings),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "JSON", "Transport", "Contracts", "Transcripts", "view-model-server", "Shop", "till", "client-driver",
                "CLinux",
                "SchemaValidation", "TestSupport",
            ],
            path: "Tests/Conformance",
            exclude: ["Clients", "NewMethod", "OpenRPC", "OutsidePackage", "WebSocket"],
            swiftSettings: settings
        ),

        // How fast it is: the limit, a server in C that frames and answers without reading.
        .executableTarget(name: "limit-server", path: "Tests/Benchmarks/Limit"),
        // What the driver asks of the kernel that Swift can't call.
        .target(name: "CBenchmarking", path: "Tests/Benchmarks/CBenchmarking"),
        // Programs under load, and figures of them.
        .target(
            name: "Benchmarking",
            dependencies: ["CBenchmarking", "CLinux", "JSON"],
            path: "Tests/Benchmarks/Benchmarking",
            swiftSettings: settings
        ),
        // Counts allocations of the program that it is linked to.
        .target(name: "CAllocations", path: "Tests/Benchmarks/CAllocations"),
        // Every row of the table, and what one types; the only one with all of Foundation, to be compared with it.
        .executableTarget(
            name: "benchmarks",
            dependencies: ["Benchmarking", "CAllocations", "ViewModels", "JSON", "JSONRPC"],
            path: "Tests/Benchmarks/Benchmarks",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
