import Commands
import TestSupport
import Testing

@Suite(.inTurn) struct DevPackageTests {
    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
            name: "greeter",
            targets: [
                .executableTarget(name: "greeter"), .executableTarget(name: "other", path: "other/code"),
                .testTarget(name: "greeterTests", path: "checks"),
            ])
        """

    /// A package that SwiftPM has built into a folder.
    private func package(scratch: String = ".build", configuration: String = "debug") throws -> ScratchFolder {
        let folder = try ScratchFolder()
        try folder.write("Package.swift", Self.manifest)
        try folder.write("\(scratch)/workspace-state.json", "{}")
        try folder.write("\(scratch)/x86_64-unknown-linux-gnu/\(configuration)/greeter", "")
        return folder
    }

    private func find(_ executable: String, _ options: String..., in folder: String) throws -> DevPackage {
        try DevPackage(DevOptions(options), executable: executable, folder: folder)
    }

    @Test func `an executable that SwiftPM has built is built again in the same way, wherever it is started`() throws {
        let folder = try package()
        let built = folder.file(".build/x86_64-unknown-linux-gnu/debug/greeter")
        for current in [folder.path, folder.file("Sources"), "/"] {
            let package = try find(built, in: current)
            #expect(package.root == folder.path && package.executable == built && package.product == "greeter")
            #expect(package.arguments == ["--package-path", folder.path, "--product", "greeter"])
        }
    }

    @Test func `a release build in a folder of its own stays one`() throws {
        let folder = try package(scratch: "out", configuration: "release")
        let built = folder.file("out/x86_64-unknown-linux-gnu/release/greeter")
        let package = try find(built, in: "/")
        #expect(package.arguments.suffix(4) == ["--scratch-path", folder.file("out"), "--configuration", "release"])
        #expect(package.scratch == folder.file("out") && package.executable == built)
    }

    @Test func `an installed executable builds the package of the current folder, where it is clear which product`()
        throws
    {
        let folder = try package()
        let package = try find("/usr/bin/greeter", in: folder.file("Sources/greeter"))
        #expect(package.root == folder.path && package.product == "greeter" && package.executable == nil)
        #expect(try find("/usr/bin/view-model-server", "--product", "other", in: folder.path).product == "other")
        let error = #expect(throws: UsageError.self) { try find("/usr/bin/view-model-server", in: folder.path) }
        #expect(error?.message.hasSuffix("with --product: it has greeter, other") == true)
    }

    @Test func `without a package there is an error that says what to do`() throws {
        let empty = try ScratchFolder()
        let error = #expect(throws: UsageError.self) { try find("/usr/bin/greeter", in: empty.path) }
        #expect(error?.message.contains("there is no Package.swift in \(empty.path)") == true)
        let other = #expect(throws: UsageError.self) {
            try find("/usr/bin/greeter", "--package-path", "sub", in: empty.path)
        }
        #expect(other?.message == "--package-path: there is no \(empty.path)/sub/Package.swift")
    }

    @Test func `sources and the manifest are watched, and nothing that a build or an editor writes`() throws {
        let folder = try package(scratch: "out")
        let package = try find(folder.file("out/x86_64-unknown-linux-gnu/debug/greeter"), in: "/")
        for path in ["Package.swift", "Package@swift-6.2.swift", "Sources", "Sources/a/b.swift", "other/code/c.swift"] {
            #expect(package.includes(path), "\(path)")
        }
        for path in [
            "README.md", "Package.resolved", ".build", ".git/index", "out", "out/a.swift", "checks/a.swift",
            "Sources/.a.swift.swp", "Sources/a.swift~", "Sources/#a.swift#", "Sources/4913",
        ] {
            #expect(!package.includes(path), "\(path)")
        }
    }
}
