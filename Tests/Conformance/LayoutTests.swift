import FoundationEssentials
import Testing

/// The house as it is described: floors, doors, and what is deliberately absent.
@Suite(.ownThread) struct LayoutTests {
    /// Every target of `Sources` and the floor that it stands on. A new target finds its place here.
    private static let floors = [
        "CLinux": -1,
        "ViewModels": 0, "JSON": 0, "Transport": 0, "WebClient": 0,
        "JSONRPC": 1, "Sessions": 1,
        "ViewModelProtocol": 2,
        "Transcripts": 3, "Contracts": 3, "ViewModelClient": 3,
        "Serving": 4,
        "Commands": 5,
        "ViewModelServer": 6,
        "TranscriptTesting": 7, "Examples": 7,
        "view-model-server": 8,
        // A program of the package manager's, which nothing links.
        "ContractPlugin": 8,
    ]

    /// The protocol's methods and notifications.
    static let methods = [
        "initialize", "initialized", "shutdown", "exit", "ping",
        "session/open", "session/attach", "session/detach", "session/close", "session/list", "session/closed",
        "view/event", "viewModel/event",
        "navigation/push", "navigation/present", "navigation/pop", "navigation/dismiss", "navigation/back",
        "viewModel/describe",
        "$/cancelRequest", "$/setTrace", "$/logTrace", "$/progress", "window/logMessage",
    ]

    @Test func `arrows go from a higher floor to a lower one`() throws {
        let package = try PackageDescription.load()
        #expect(package.dependencies == 0, "this package depends on no other")
        for target in package.targets where target.isSource {
            let floor = try #require(Self.floors[target.name], "\(target.name) has no floor")
            for dependency in target.dependencies {
                let other = try #require(Self.floors[dependency], "\(target.name) depends on \(dependency)")
                #expect(other < floor, "\(target.name) may not depend on \(dependency)")
            }
        }
        // Transport holds the kernel's door, and nothing else does.
        let users = package.targets.filter { $0.isSource && $0.dependencies.contains("CLinux") }
        #expect(users.map(\.name) == ["Transport"])
    }

    @Test func `nothing but tests uses what tests share`() throws {
        let package = try PackageDescription.load()
        let tests = package.targets.filter(\.isTest).map(\.name) + ["TestSupport", "SchemaValidation"]
        for target in package.targets where target.isSource {
            #expect(target.dependencies.allSatisfy { !tests.contains($0) })
        }
    }

    @Test func `what measures is nobody else's, least of all its malloc`() throws {
        let package = try PackageDescription.load()
        let users = { (name: String) in package.targets.filter { $0.dependencies.contains(name) }.map(\.name) }
        #expect(users("limit-server").isEmpty && users("benchmarks").isEmpty)
        #expect(users("CAllocations") == ["benchmarks"])
        #expect(Set(users("Benchmarking")) == ["benchmarks", "BenchmarkingTests"])
    }

    @Test(
        .enabled(
            if: Tool.git.isInstalled && FileManager.default.fileExists(atPath: "\(Checkout.root)/.git"),
            "this is no git checkout"))
    func `the top level holds the package, its parts and nothing else`() throws {
        let git = try Program(
            Tool.git.command, ["-c", "safe.directory=*", "-C", Checkout.root, "ls-files", "-z"])
        let files = try git.lines().joined().split(separator: "\0")
        #expect(try git.end() == .status(0), "\(git.report)")
        let names = Set(files.compactMap { $0.split(separator: "/").first }.filter { !$0.hasPrefix(".") })
        #expect(names.isSubset(of: ["Package.swift", "Sources", "Schemas", "Tests", "clients", "README.md"]))
        #expect(names.isSuperset(of: ["Package.swift", "Sources", "Tests"]))
    }

    @Test(arguments: [
        ("ViewModels", ["Swift", "Synchronization"]),
        ("JSON", ["FoundationEssentials", "Synchronization"]),
        ("JSONRPC", ["JSON", "FoundationEssentials", "Synchronization"]),
        ("ViewModelProtocol", ["JSON", "JSONRPC"]),
    ])
    func `a pure module imports no system`(_ module: String, _ allowed: [String]) throws {
        let imports = try SourceFile.all(in: module).flatMap { file in file.imports.map { (file.path, $0) } }
        for (path, name) in imports { #expect(allowed.contains(name), "\(path) imports \(name)") }
    }

    @Test func `Transport names no JSON`() throws {
        for file in try SourceFile.all(in: "Transport") {
            #expect(file.imports.allSatisfy { !$0.hasPrefix("JSON") }, "\(file.path)")
        }
    }

    @Test func `no module links all of Foundation, or Dispatch`() throws {
        for file in try SourceFile.all() where !file.path.contains("ContractPlugin/") {
            #expect(Set(file.imports).isDisjoint(with: ["Foundation", "Dispatch"]), "\(file.path)")
        }
    }

    @Test func `only TranscriptTesting imports Testing, which would come along into every executable`() throws {
        let files = try SourceFile.all().filter { $0.imports.contains("Testing") }
        #expect(!files.isEmpty && files.allSatisfy { $0.path.hasPrefix("TranscriptTesting/") })
    }

    @Test func `only commands read the environment`() throws {
        for file in try SourceFile.all() where !file.path.hasPrefix("Commands/") {
            for door in ["getenv", "ProcessInfo", "environ["] {
                #expect(!file.contains(door), "\(file.path) uses \(door)")
            }
        }
    }

    @Test func `a method's name stands in one place`() throws {
        let files = try SourceFile.all()
        for name in Self.methods {
            let places = files.flatMap { file in file.literals.filter { $0 == name }.map { _ in file.path } }
            #expect(places.count == 1, "\"\(name)\" stands in \(places)")
        }
    }
}
