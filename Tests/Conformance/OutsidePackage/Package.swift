// swift-tools-version: 6.2

import PackageDescription

// A user's package. It stands in this checkout and builds here; the test builds a copy elsewhere. The dependency has a
// name, so it doesn't matter what the folder of the checkout is called.
let package = Package(
    name: "greeter",
    dependencies: [.package(name: "view-model-server", path: "../../..")],
    targets: [
        .executableTarget(
            name: "greeter", dependencies: [.product(name: "ViewModelServer", package: "view-model-server")]),
        .executableTarget(
            name: "sleeper", dependencies: [.product(name: "ViewModelServer", package: "view-model-server")]),
        .testTarget(
            name: "greeterTests",
            dependencies: ["greeter", .product(name: "TranscriptTesting", package: "view-model-server")],
            exclude: ["Transcripts"]),
    ]
)
