import FoundationEssentials
import Sessions
import Testing

/// The rules of the layout: floors, imports, sizes, and what is deliberately absent.
@Suite(.ownThread) struct LayoutTests {
    /// Every target of `Sources` and the floor that it stands on. A new target finds its place here.
    private static let floors = [
        "CLinux": -2, "LibC": -1, "Queues": -1,
        "ViewModels": 0, "JSON": 0, "Transport": 0, "WebClient": 0, "Manual": 0, "ClientStories": 0,
        "JSONRPC": 1, "Sessions": 1, "WebExamples": 1,
        "Stores": 2, "ViewModelProtocol": 2,
        "Transcripts": 3, "Contracts": 3, "ViewModelClient": 3,
        "TerminalClient": 4, "ClientRules": 4, "Serving": 4,
        "TerminalFinder": 5, "Hosting": 5,
        "Commands": 6,
        "ViewModelServer": 7,
        "TranscriptTesting": 8, "Examples": 8,
        "view-model-server": 9,
        // A program of the package manager's, which nothing links.
        "ContractPlugin": 9,
    ]

    /// The protocol's methods and notifications, as their types name them.
    static func methods() throws -> [String] {
        try SourceFile.all(in: "ViewModelProtocol").flatMap(\.messageNames)
    }

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
        // Transport holds the kernel's door; transcripts are files.
        let users = { (name: String) in
            package.targets.filter { $0.isSource && $0.dependencies.contains(name) }.map(\.name)
        }
        #expect(users("CLinux") == ["LibC"])
        // The views of the examples are in no user's executable.
        #expect(users("TerminalFinder") == ["view-model-server"] && users("WebExamples") == ["view-model-server"])
        #expect(Set(users("LibC")) == ["Transport", "Stores", "Transcripts", "TerminalClient", "Hosting", "Commands"])
    }

    @Test func `nothing but tests uses what tests share`() throws {
        let package = try PackageDescription.load()
        let tests = package.targets.filter(\.isTest).map(\.name) + ["TestSupport", "SchemaValidation"]
        for target in package.targets where target.isSource {
            #expect(target.dependencies.allSatisfy { !tests.contains($0) })
        }
    }

    @Test func `nothing uses the benchmarks, least of all their malloc`() throws {
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
        ("ViewModels", ["Swift", "SwiftShims", "Synchronization"]),
        ("JSON", ["FoundationEssentials", "Synchronization"]),
        ("JSONRPC", ["JSON", "Queues", "FoundationEssentials", "Synchronization"]),
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

    /// But for examples, which are written as a user's package would be, and may not have `LibC`.
    @Test func `the C library is chosen in one place`() throws {
        for file in try SourceFile.all() where file.path != "LibC/LibC.swift" && file.module != "Examples" {
            #expect(Set(file.imports).isDisjoint(with: ["Glibc", "Musl", "Darwin", "CLinux"]), "\(file.path)")
            #expect(!file.contains("#if canImport"), "\(file.path)")
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

    @Test func `a method's name is in one place`() throws {
        let (files, names) = (try SourceFile.all(), try Self.methods())
        #expect(Set(names).isSuperset(of: ["initialize", "view/event", "$/progress", "session/closed"]))
        for name in names {
            let places = files.flatMap { file in file.literals.filter { $0 == name }.map { _ in file.path } }
            #expect(places.count == 1, "\"\(name)\" is in \(places)")
        }
    }

    @Test func `the table of limits says which of them errors name`() throws {
        let files = try SourceFile.all().filter { $0.path != "Sessions/Limit.swift" }
        let (named, literals) = (Set(files.flatMap(\.limitNames)), Set(files.flatMap(\.literals)))
        let isError = Dictionary(
            uniqueKeysWithValues: Limit.all.map { limit in
                if case .error = limit.telling { (limit.name, true) } else { (limit.name, false) }
            })
        #expect(named.isSuperset(of: ["pendingEvents", "messageBytes"]))
        #expect(named.filter { isError[$0] != true }.sorted() == [])
        #expect(isError.filter(\.value).keys.filter { !literals.contains($0) }.sorted() == [])
    }

    @Test func `suites of tests that share threads take turns`() throws {
        var count = 0
        for folder in ["Tests", "clients/swift/Tests", "clients/terminal/Tests"] {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: "\(Checkout.root)/\(folder)")
            for path in paths where path.hasSuffix(".swift") {
                let text = try String(contentsOfFile: "\(Checkout.root)/\(folder)/\(path)", encoding: .utf8)
                guard text.contains("import TestSupport\n") else { continue }
                for suite in text.split(separator: "\n@Suite").dropFirst() {
                    count += 1
                    let traits = suite.prefix { $0 != "{" }
                    let hasThreads = traits.contains(".ownThread")
                    #expect(traits.contains(".inTurn") || hasThreads, "\(path): @Suite\(traits)")
                }
            }
        }
        #expect(count > 100)
    }

    @Test func `a type with its extensions has 400 lines at most, or a reason above it`() throws {
        let declarations = try SourceFile.all().flatMap { file in
            file.declarations.filter(\.isType).map { (type: "\(file.module).\($0.name)", declaration: $0) }
        }
        var lines: [String: Int] = [:]
        for (type, declaration) in declarations { lines[type, default: 0] += declaration.lineCount }
        let excused = declarations.filter(\.declaration.excusesItsSize).map(\.type)
        let large = lines.filter { $0.value > 400 && !excused.contains($0.key) }
        let list = large.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }
        #expect(
            list.isEmpty,
            "split these, or write above them: // Over 400 lines because …\n\(list.joined(separator: "\n"))")
    }

    @Test func `a file has 400 lines at most, or a type with a reason above it`() throws {
        let large = try SourceFile.all().filter { file in
            file.lineCount > 400 && !file.declarations.contains(where: \.excusesItsSize)
        }
        let list = large.map { "\($0.lineCount) \($0.path)" }
        #expect(list.isEmpty, "split these:\n\(list.joined(separator: "\n"))")
    }

    @Test func `hardly a file is so small, and of use to one neighbour alone, that it belongs there`() throws {
        let files = try SourceFile.all()
        let crumbs = files.filter { isCrumb($0, among: files) }
        let list = crumbs.map { "\($0.lineCount) \($0.path)" }
        #expect(crumbs.count <= files.count / 50, "move these to their neighbours:\n\(list.joined(separator: "\n"))")
    }

    /// A file of under 20 lines that extends one type, or whose types are used in one other file at most. Not the only
    /// file of a target, and no method: each has a file, where it is looked for.
    private func isCrumb(_ file: SourceFile, among files: [SourceFile]) -> Bool {
        guard file.lineCount < 20, !file.declarations.isEmpty, !file.path.contains("/Methods/"),
            files.contains(where: { $0.module == file.module && $0.path != file.path })
        else { return false }
        let names = file.declarations.filter { $0.kind != "extension" }.map(\.name)
        guard !names.isEmpty else { return Set(file.declarations.map(\.name)).count == 1 }
        let users = files.filter { other in other.path != file.path && names.contains { other.mentions($0) } }
        return users.count <= 1
    }
}
