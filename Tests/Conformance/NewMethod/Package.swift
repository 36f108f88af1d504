// swift-tools-version: 6.2

import PackageDescription

// The part of view-model-server that serves, copied by the test, and a program that plays a transcript to it. Package
// access needs the targets in one package, and a few of them build sooner than all.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "new-method",
    targets: [
        .target(name: "ViewModels", swiftSettings: settings),
        .target(name: "JSON", swiftSettings: settings),
        .target(name: "Queues", swiftSettings: settings),
        .target(name: "CLinux"),
        .target(name: "LibC", dependencies: ["CLinux"], swiftSettings: settings),
        .target(name: "WebClient"),
        .target(name: "Transport", dependencies: ["Queues", "LibC"], swiftSettings: settings),
        .target(name: "JSONRPC", dependencies: ["JSON"], swiftSettings: settings),
        .target(name: "Sessions", dependencies: ["Queues", "ViewModels", "JSON"], swiftSettings: settings),
        .target(name: "ViewModelProtocol", dependencies: ["JSON", "JSONRPC"], swiftSettings: settings),
        .target(
            name: "Transcripts",
            dependencies: ["Queues", "LibC", "JSON", "Transport", "JSONRPC", "ViewModelProtocol"],
            swiftSettings: settings),
        .target(name: "Contracts", dependencies: ["JSON", "JSONRPC", "ViewModelProtocol"], swiftSettings: settings),
        .target(
            name: "Serving",
            dependencies: [
                "Queues", "ViewModels", "JSON", "Transport", "WebClient", "JSONRPC", "Sessions", "ViewModelProtocol",
                "Transcripts", "Contracts",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "probe", dependencies: ["Contracts", "Sessions", "Transcripts", "Serving"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
