import FoundationEssentials
import Testing
import Transcripts

/// `new` in a package of a user's.
@Suite(.ownThread) struct NewTests {
    private let package: SamplePackage

    init() throws { package = try SamplePackage() }

    @Test func `a view model comes with a View, tests, a transcript and a name`() throws {
        let run = try NewRun("Orders", in: package)
        #expect(run.ending == .status(0) && run.errors.isEmpty)
        #expect(
            run.files == [
                "Sources/shop/Orders/OrdersViewModel.swift", "Sources/shop/Orders/OrdersView.swift",
                "Tests/shopTests/OrdersViewModelTests.swift", "Tests/shopTests/Transcripts/orders.jsonl",
                "Tests/shopTests/ConversationTests.swift",
            ])
        #expect(run.notes.isEmpty)
        #expect(run.registration == #"Sources/shop/Shop.swift:3: registry.add("orders") { OrdersViewModel() }"#)
        #expect(
            try package.text("Tests/shopTests/ConversationTests.swift").contains("transcript.replay(on: Shop.self)"))
        #expect(
            run.commands == [
                "swift test --package-path \(package.path) --filter OrdersViewModelTests",
                "swift run --package-path \(package.path) shop replay Tests/shopTests/Transcripts/orders.jsonl",
                "swift run --package-path \(package.path) shop",
            ])
    }

    @Test func `a package that keeps its contract is told to write it again`() throws {
        #expect(try !NewRun("Orders", in: package).commands.contains { $0.hasSuffix(" contract") })
        try package.write("{}", "Schemas/view-models/shop.schema.json")
        #expect(
            try NewRun("Items", in: package).commands.last == "swift package --package-path \(package.path) contract")
    }

    @Test func `a dry run writes nothing, and shows the text that is written later`() throws {
        let before = try package.contents()
        let preview = try NewRun("Orders", "--dry-run", in: package)
        #expect(try package.contents() == before)
        let run = try NewRun("Orders", in: package)
        #expect(run.files.count == 5)
        for file in run.files {
            #expect(
                try preview.output.contains("== new \(file)\n" + package.text(file).replacing(package.path, with: "")))
        }
    }

    @Test func `where one file can't be written, none is`() throws {
        // A file stands where a folder should be.
        try package.write("", "Tests/shopTests/Transcripts")
        let before = try package.contents()
        #expect(try NewRun("Orders", in: package).ending == .status(74))
        #expect(try package.contents() == before)
    }

    @Test func `every file is for its name, ends with a line break and has no long lines`() throws {
        for file in try NewRun("OrderDetails", in: package).files {
            let text = try package.text(file)
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"), "\(file)")
            if !file.hasSuffix(".jsonl") {
                #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 }, "\(file)")
            }
            if !file.hasSuffix("ConversationTests.swift") {
                #expect(text.contains("OrderDetails") || text.contains("orderDetails"))
            }
        }
    }

    @Test func `the transcript can be read`() throws {
        _ = try NewRun("Orders", in: package)
        let reader = try TranscriptReader(path: package.file("Tests/shopTests/Transcripts/orders.jsonl"))
        #expect(reader.header.title == "Orders")
        #expect(reader.header.server?.hasPrefix("view-model-server ") == true)
    }

    @Test func `a transcript goes to those that a test replays already`() throws {
        try package.write(
            "@Test(arguments: Transcript.all(in: \"../../Talks\")) func talk(_ transcript: Transcript) {}",
            "Tests/shopTests/Deeper/TalkTests.swift")
        let run = try NewRun("Orders", in: package)
        #expect(run.files.dropFirst(3) == ["Tests/Talks/orders.jsonl"])
        #expect(run.notes.isEmpty)
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
    func `parts that the manifest lacks are named, and the rest is done`(_ tests: String, _ line: String) throws {
        try package.writeManifest(tests: tests)
        let run = try NewRun("Orders", in: package)
        let note = try #require(run.notes.first)
        #expect(run.notes.count == 1)
        #expect(note.hasPrefix("Package.swift"))
        #expect(note.contains("\n\n  \(line)"))
        #expect(run.files.count == 5 && run.registration != nil)
    }

    @Test func `where several functions name view models, or none, the line is printed`() throws {
        try package.write("enum More { func register(in all: inout Registry) {} }", "Sources/shop/More.swift")
        let several = try NewRun("Orders", in: package)
        #expect(several.registration == nil)
        let note = try #require(several.notes.first)
        #expect(note.contains("More.swift or ") && note.contains("Shop.swift"))
        #expect(note.hasSuffix(#".add("orders") { OrdersViewModel() }"#))

        try package.remove("Sources/shop/More.swift")
        try package.write("struct Shop: Server {}", "Sources/shop/Shop.swift")
        let none = try NewRun("Items", in: package)
        #expect(none.registration == nil)
        #expect(none.notes.first?.hasSuffix("\n\n  registry.add(\"items\") { ItemsViewModel() }") ?? false)
        // The test that replays transcripts is there by now.
        #expect(none.files.count == 4)
    }

    @Test func `where it isn't clear what a server is, the test of transcripts is left to the user`() throws {
        try package.write(
            "enum Names {\n    func register(in all: inout Registry) {}\n}", "Sources/shop/Shop.swift")
        let run = try NewRun("Orders", in: package)
        #expect(run.files.count == 4)
        #expect(run.notes.count == 1 && run.notes[0].contains("Transcript.all(in:)"))
    }

    @Test func `the target is the one that names view models, unless several do`() throws {
        try package.write("struct Tool {}", "Sources/tool/Tool.swift")
        #expect(try NewRun("A", in: package).files.first == "Sources/shop/A/AViewModel.swift")
        #expect(try NewRun("B", "--target", "tool", in: package).files.first == "Sources/tool/B/BViewModel.swift")

        try package.write(
            "struct S: Server { func register(in r: inout Registry) {} }", "Sources/other-1/S.swift")
        let several = try NewRun("C", in: package)
        #expect(several.ending == .status(64) && several.errors.contains(": other-1, shop\n"))
        #expect(try NewRun("C", "--target", "other-1", "--dry-run", in: package).output.contains("import other_1\n"))
        let wrong = try NewRun("C", "--target", "Shop", in: package)
        #expect(wrong.ending == .status(64) && wrong.errors.contains("'Shop'"))
    }

    @Test(arguments: [
        ("", ".", ""), ("", "./", ""), ("", "Sources/..", ""), ("Sources/shop", "../..", "../../"),
        ("Sources/shop", ".././/../", "../../"), ("Sources", "shop/../..", "../"), ("", "PATH//", "PATH/"),
        ("", "PATH/./Sources/..", "PATH/"),
    ])
    func `the package's folder is written as simply as it can be`(
        _ directory: String, _ folder: String, _ simple: String
    ) throws {
        let folder = folder.replacing("PATH", with: package.path)
        let bash = try Program(
            "bash", ["-c", "cd '\(package.path)/\(directory)' && '\(Checkout.server)' new Orders --folder '\(folder)'"])
        let lines = try bash.lines()
        let root = simple.replacing("PATH", with: package.path)
        #expect(lines.first == "new      \(root)Sources/shop/Orders/OrdersViewModel.swift")
        #expect(try bash.end() == .status(0))
    }

    // MARK: Names

    @Test(arguments: [
        ("OrderDetails", "OrderDetails", "orderDetails", "Order Details"),
        ("orderDetails", "OrderDetails", "orderDetails", "Order Details"),
        ("OrderDetailsViewModel", "OrderDetails", "orderDetails", "Order Details"),
        ("orderDetailsViewModel", "OrderDetails", "orderDetails", "Order Details"),
        ("Orders", "Orders", "orders", "Orders"), ("x", "X", "x", "X"),
        ("URLBar", "URLBar", "urlBar", "URL Bar"), ("URL", "URL", "url", "URL"), ("URL2", "URL2", "url2", "URL2"),
        ("urlBar", "UrlBar", "urlBar", "Url Bar"), ("Step2Done", "Step2Done", "step2Done", "Step2 Done"),
        ("showURL", "ShowURL", "showURL", "Show URL"), ("AView", "AView", "aView", "A View"),
        ("Import", "Import", "import", "Import"),
    ])
    func `a name is one in Swift, one for clients and one for people`(
        _ text: String, _ type: String, _ registered: String, _ title: String
    ) throws {
        let run = try NewRun(text, in: package)
        #expect(
            run.files.prefix(2) == [
                "Sources/shop/\(type)/\(type)ViewModel.swift", "Sources/shop/\(type)/\(type)View.swift",
            ])
        #expect(run.registration?.hasSuffix(#"registry.add("\#(registered)") { \#(type)ViewModel() }"#) == true)
        let transcript = package.file("Tests/shopTests/Transcripts/\(registered).jsonl")
        #expect(try TranscriptReader(path: transcript).header.title == title)
    }

    @Test(arguments: [
        "ViewModel", "1st", "order-details", "order_details", "order details", "Order/Details", "../Orders",
        "Orders.swift", "Größe", "Orders\n", "`class`", "٣", "a٣",
    ])
    func `any other text is refused, with the form that a name has`(_ text: String) throws {
        try expectRefusal(of: text, "'\(text)' is no name")
    }

    @Test(arguments: ["class", "import", "Any", "Self", "self", "where", "importViewModel"])
    func `a keyword is refused`(_ text: String) throws {
        try expectRefusal(of: text, "'\(text)' is a keyword")
    }

    @Test(arguments: ["Observable", "notifying", "HostableViewModel"])
    func `a name that would hide a protocol of view models is refused`(_ text: String) throws {
        try expectRefusal(of: text, "'\(text)' is taken")
    }

    private func expectRefusal(of text: String, _ words: String) throws {
        let before = try package.contents()
        let run = try NewRun(text, in: package)
        #expect(run.ending == .status(64))
        #expect(run.errors.contains(words) && run.errors.contains("OrderDetails or orderDetails"))
        #expect(try package.contents() == before)
    }

    // MARK: Obstacles

    @Test(arguments: [
        ("Sources/shop/Orders/OrdersViewModel.swift", "", "exists already"),
        ("Tests/shopTests/Transcripts/orders.jsonl", "", "exists already"),
        ("Sources/shop/Old/OrdersView.swift", "", "a target can't have both"),
        ("Sources/shop/Old.swift", "final class OrdersViewModel {}", "has a type OrdersViewModel already"),
        ("Sources/shop/Old.swift", "struct OrdersView {}", "has a type OrdersView already"),
        ("Sources/shop/Old.swift", #"names.add("orders") { Old() }"#, #"names a view model "orders" already"#),
    ])
    func `a file, type or name that is there already is in the way`(
        _ path: String, _ text: String, _ words: String
    ) throws {
        try package.write(text, path)
        try expectObstacle("Orders", path, words)
    }

    @Test func `a link that leads nowhere is in the way`() throws {
        let path = "Tests/shopTests/OrdersViewModelTests.swift"
        try package.write("", "Tests/shopTests/Other.swift")
        try FileManager.default.createSymbolicLink(
            atPath: package.file(path), withDestinationPath: "/nowhere")
        try expectObstacle("Orders", path, "exists already")
    }

    @Test func `a name that the package's own server knows is in the way, and nothing else is`() throws {
        // The server of these tests has a view model "orders".
        try package.write(#"// final class OrdersViewModel; names.add("orders")"#, "Sources/shop/Old.swift")
        try package.write("struct OrdersViewModels {}", "Sources/shop/OrdersViewModels.swift")
        #expect(try NewRun("Orders", "--dry-run", in: package).ending == .status(0))
        let manifest = try package.text("Package.swift")
        try package.write(
            manifest + #"// .executable(name: "x")"# + "\n" + #".executable(name: "view-model-server")"#,
            "Package.swift")
        try expectObstacle("Orders", "this server", #"has a view model "orders" already"#)
        #expect(try NewRun("Order", "--dry-run", in: package).ending == .status(0))
    }

    private func expectObstacle(_ name: String, _ place: String, _ words: String) throws {
        let before = try package.contents()
        let run = try NewRun(name, in: package)
        #expect(run.ending == .status(73))
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].contains(place) && lines[0].contains(words), "\(run.errors)")
        #expect(try package.contents() == before)
    }
}
