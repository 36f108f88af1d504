import FoundationEssentials
import Sessions
import Testing
import Transcripts

@testable import Commands

@Suite struct NewPlanTests {
    private let package: SamplePackage

    init() throws { package = try SamplePackage() }

    @Test func `a view model comes with a View, tests, a transcript and a name`() throws {
        let plan = try package.plan("Orders")
        #expect(
            package.paths(plan) == [
                "Sources/shop/Orders/OrdersViewModel.swift", "Sources/shop/Orders/OrdersView.swift",
                "Tests/shopTests/OrdersViewModelTests.swift", "Tests/shopTests/Transcripts/orders.jsonl",
                "Tests/shopTests/ConversationTests.swift",
            ])
        #expect(plan.notes.isEmpty)
        let registration = try #require(plan.registration)
        #expect(registration.path == package.file("Sources/shop/Shop.swift"))
        #expect(registration.statement == #"registry.add("orders") { OrdersViewModel() }"#)
        #expect(registration.line == 3)
        #expect(plan.files.last?.text.contains("transcript.replay(on: Shop.self)") ?? false)
        #expect(
            plan.commands == [
                "swift test --package-path \(package.path) --filter OrdersViewModelTests",
                "swift run --package-path \(package.path) shop replay \(package.path)/Tests/shopTests/Transcripts/orders.jsonl",
                "swift run --package-path \(package.path) shop",
            ])
    }

    @Test func `a package that keeps its contract is told to write it again`() throws {
        #expect(try !package.plan("Orders").commands.contains { $0.hasSuffix(" contract") })
        try package.write("{}", "Schemas/view-models/shop.schema.json")
        #expect(try package.plan("Orders").commands.last == "swift package --package-path \(package.path) contract")
    }

    @Test func `what is written is there, with the text that was planned`() throws {
        let plan = try package.plan("Orders")
        try plan.write()
        for file in plan.files { #expect(try TextFile.read(file.path) == file.text) }
        #expect(try TextFile.read(package.file("Sources/shop/Shop.swift")) == plan.registration?.text)
    }

    @Test func `where one file can't be written, none is`() throws {
        // A file stands where a folder should be.
        try package.write("", "Tests/shopTests/Transcripts")
        let before = try package.contents()
        let plan = try package.plan("Orders")
        #expect(throws: TextFile.Failure.self) { try plan.write() }
        #expect(try package.contents() == before)
    }

    @Test func `every file is for its name, ends with a line break and has no long lines`() throws {
        let plan = try package.plan("OrderDetails")
        for file in plan.files {
            #expect(file.text.hasSuffix("\n") && !file.text.hasSuffix("\n\n"), "\(file.path)")
            if !file.path.hasSuffix(".jsonl") {
                #expect(file.text.split(separator: "\n").allSatisfy { $0.count <= 120 }, "\(file.path)")
            }
            if !file.path.hasSuffix("ConversationTests.swift") {
                #expect(file.text.contains("OrderDetails") || file.text.contains("orderDetails"))
            }
        }
    }

    @Test func `the transcript can be read`() throws {
        let plan = try package.plan("Orders")
        try plan.write()
        let reader = try TranscriptReader(path: package.file("Tests/shopTests/Transcripts/orders.jsonl"))
        #expect(reader.header.title == "Orders")
        #expect(reader.header.server == #"a "shop" 1.2.3"#)
    }

    @Test func `a transcript goes to those that a test replays already`() throws {
        try package.write(
            "@Test(arguments: Transcript.all(in: \"../../Talks\")) func talk(_ transcript: Transcript) {}",
            "Tests/shopTests/Deeper/TalkTests.swift")
        let plan = try package.plan("Orders")
        #expect(package.paths(plan).dropFirst(3) == ["Tests/Talks/orders.jsonl"])
        #expect(plan.notes.isEmpty)
    }

    @Test(arguments: [
        (
            #".testTarget(name: "shopTests", dependencies: ["shop"])"#,
            #"dependencies: [.product(name: "TranscriptTesting", package: "vms")],"#
        ),
        (
            #".testTarget(name: "shopTests")"#,
            #"dependencies: ["shop", .product(name: "TranscriptTesting", package: "vms")],"#
        ),
        (
            #".testTarget(name: "shopTests", dependencies: ["shop", "TranscriptTesting"])"#,
            #"exclude: ["Transcripts"],"#
        ),
        ("", #".testTarget("#),
    ])
    func `what the manifest lacks is said, and the rest is done`(_ tests: String, _ line: String) throws {
        try package.writeManifest(tests: tests)
        let plan = try package.plan("Orders")
        let note = try #require(plan.notes.first)
        #expect(plan.notes.count == 1)
        #expect(note.hasPrefix(package.file("Package.swift")))
        #expect(note.contains("\n\n  \(line)"))
        #expect(plan.files.count == 5 && plan.registration != nil)
    }

    @Test func `where several functions name view models, or none, the line is said`() throws {
        try package.write("enum More { static func register(in all: inout Registry) {} }", "Sources/shop/More.swift")
        let several = try package.plan("Orders")
        #expect(several.registration == nil)
        let note = try #require(several.notes.first)
        #expect(note.contains("More.swift or ") && note.contains("Shop.swift"))
        #expect(note.hasSuffix(#".add("orders") { OrdersViewModel() }"#))

        try package.remove("Sources/shop/More.swift")
        try package.write("struct Shop: Server {}", "Sources/shop/Shop.swift")
        let none = try package.plan("Orders")
        #expect(none.registration == nil)
        #expect(none.notes.first?.hasSuffix("\n\n  registry.add(\"orders\") { OrdersViewModel() }") ?? false)
        #expect(none.files.count == 5)
    }

    @Test func `where a simple reading isn't sure of the place, the line is said`() throws {
        let text = "struct Shop: Server {\n    static func register(in names: inout Registry) { add(to: &names) }\n}"
        try package.write(text, "Sources/shop/Shop.swift")
        let plan = try package.plan("Orders")
        #expect(plan.registration == nil)
        #expect(
            plan.notes.count == 1
                && plan.notes[0].hasSuffix("Shop.swift: add\n\n  registry.add(\"orders\") { OrdersViewModel() }"))
        try plan.write()
        #expect(try TextFile.read(package.file("Sources/shop/Shop.swift")) == text)
    }

    @Test func `where it isn't clear what a server is, the test of transcripts is left to the user`() throws {
        try package.write(
            "enum Names {\n    static func register(in all: inout Registry) {}\n}", "Sources/shop/Shop.swift")
        let plan = try package.plan("Orders")
        #expect(plan.files.count == 4)
        #expect(plan.notes.count == 1 && plan.notes[0].contains("Transcript.all(in:)"))
    }

    @Test func `the target is the one that names view models, unless several do`() throws {
        try package.write("struct Tool {}", "Sources/tool/Tool.swift")
        #expect(try NewPackage(in: package.path).target(nil).name == "shop")
        #expect(try NewPackage(in: package.path).target("tool").name == "tool")

        try package.write(
            "struct S: Server { static func register(in r: inout Registry) {} }", "Sources/other-1/S.swift")
        let several = #expect(throws: UsageError.self) { try NewPackage(in: package.path).target(nil) }
        #expect(several?.message.hasSuffix(": other-1, shop") ?? false)
        #expect(try NewPackage(in: package.path).target("other-1").module == "other_1")
        let wrong = #expect(throws: UsageError.self) { try NewPackage(in: package.path).target("Shop") }
        #expect(wrong?.message.contains("'Shop'") ?? false)
    }

    @Test func `where there is no package, nothing is written`() throws {
        try package.remove("Package.swift")
        let error = #expect(throws: UsageError.self) { try NewPackage(in: package.path) }
        #expect(error?.message.contains("Package.swift") ?? false)
    }

    @Test(arguments: [
        ("", ""), (".", ""), ("./", ""), ("a", "a"), ("a//b/", "a/b"), ("a/./../b", "b"), ("../a", "../a"), ("/", "/"),
        ("/a/", "/a"),
    ])
    func `a path is made simple`(_ path: String, _ simple: String) {
        #expect(NewPackage.simplified(path) == simple)
    }

    // MARK: What is in the way

    @Test(arguments: [
        ("Sources/shop/Orders/OrdersViewModel.swift", "", "exists already"),
        ("Tests/shopTests/Transcripts/orders.jsonl", "", "exists already"),
        ("Sources/shop/Old/OrdersView.swift", "", "a target can't have both"),
        ("Sources/shop/Old.swift", "final class OrdersViewModel {}", "has a type OrdersViewModel already"),
        ("Sources/shop/Old.swift", "struct OrdersView {}", "has a type OrdersView already"),
        ("Sources/shop/Old.swift", #"names.add("orders") { Old() }"#, #"names a view model "orders" already"#),
    ])
    func `what is there already is in the way`(_ path: String, _ text: String, _ words: String) throws {
        try package.write(text, path)
        let obstacles = try package.obstacles("Orders")
        #expect(obstacles.count == 1)
        #expect(obstacles.first?.contains(words) ?? false)
        #expect(obstacles.first?.contains(path) ?? false)
    }

    @Test func `a link that leads nowhere is in the way`() throws {
        let path = package.file("Tests/shopTests/OrdersViewModelTests.swift")
        try package.write("", "Tests/shopTests/Other.swift")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere")
        #expect(try package.obstacles("Orders").count == 1)
    }

    @Test func `a name that the server knows is in the way, and nothing else is`() throws {
        try package.write(#"// final class OrdersViewModel; names.add("orders")"#, "Sources/shop/Old.swift")
        try package.write("struct OrdersViewModels {}", "Sources/shop/OrdersViewModels.swift")
        #expect(try package.obstacles("Orders") == [])
        #expect(try package.obstacles("Orders", registered: ["order", "orders"]).count == 1)
    }
}
