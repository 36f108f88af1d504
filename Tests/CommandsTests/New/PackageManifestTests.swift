import Testing

@testable import Commands

@Suite struct PackageManifestTests {
    private let manifest = PackageManifest(
        """
        // swift-tools-version: 6.2
        import PackageDescription

        // .testTarget(name: "commentTests")
        let package = Package(
            name: "shop",
            products: [.executable(name: "shop-server", targets: ["shop"])],
            dependencies: [.package(name: "vms", path: "../vms")],
            targets: [
                .target(name: "Orders", dependencies: [.product(name: "ViewModelServer", package: "vms")]),
                .executableTarget(
                    name: "shop",
                    dependencies: ["Orders", .target(name: "Nested") /* "Comment" */]),
                .testTarget(
                    name: "shopTests", dependencies: ["shop"], exclude: ["Transcripts"]),
                .testTarget(name: "all", dependencies: ["Orders"], path: "Tests/Everything"),
                .testTarget(name: prefix + "Tests"),
            ]
        )
        """)

    @Test func `targets are found, and those that others need are no more of them`() {
        #expect(manifest.targets.map(\.name) == ["Orders", "shop", "shopTests", "all"])
        #expect(
            manifest.targets.map(\.path) == ["Sources/Orders", "Sources/shop", "Tests/shopTests", "Tests/Everything"])
        #expect(manifest.executables == ["shop", "shop-server"])
        #expect(manifest.serverPackage == "vms")
    }

    @Test(arguments: [("Orders", true), ("Nested", true), ("Comment", false), ("Order", false)])
    func `a target mentions what it needs`(_ name: String, _ isMentioned: Bool) throws {
        let shop = try #require(manifest.targets.first { $0.name == "shop" })
        #expect(shop.mentions(name) == isMentioned)
    }

    @Test func `a target's tests are those of its name, or those that need it`() {
        #expect(manifest.tests(of: "shop")?.name == "shopTests")
        #expect(manifest.tests(of: "Orders")?.path == "Tests/Everything")
        #expect(manifest.tests(of: "Nested") == nil)
    }

    @Test func `a target's program is itself, or the only one that needs it`() {
        #expect(manifest.executable(with: "shop") == "shop")
        #expect(manifest.executable(with: "Orders") == "shop")
        #expect(manifest.executable(with: "Other") == nil)
    }

    @Test(arguments: ["", "let package = Package(name: \"x\", targets: targets)", ".target(name: \"x\""])
    func `what isn't there isn't found`(_ text: String) {
        let manifest = PackageManifest(text)
        #expect(manifest.targets.isEmpty)
        #expect(manifest.serverPackage == "view-model-server")
    }
}
