import Testing

/// What `new` reads of a package: the function that names view models, and the targets of the manifest.
@Suite(.ownThread) struct NewPackageTests {
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let before: String
        let after: String

        init(_ name: String, _ before: String, _ after: String) {
            (testDescription, self.before, self.after) = (name, before, after)
        }
    }

    private static let head = "func register(in registry: inout Registry)"

    private let package: SamplePackage

    init() throws { package = try SamplePackage() }

    @Test(arguments: [
        Case(
            "behind the last of several",
            "struct S {\n    \(head) {\n        registry.add(\"a\") { A() }\n        registry.add(\"b\") { B() }\n    }\n}\n",
            "struct S {\n    \(head) {\n        registry.add(\"a\") { A() }\n        registry.add(\"b\") { B() }\n        NEW\n    }\n}\n"
        ),
        Case(
            "behind other statements",
            "\(head) {\n    registry.add(\"a\", A.self)\n    log()\n}\n",
            "\(head) {\n    registry.add(\"a\", A.self)\n    log()\n    NEW\n}\n"),
        Case(
            "with tabs", "struct S {\n\t\(head) {\n\t\tregistry.add(\"a\") { A() }\n\t}\n}",
            "struct S {\n\t\(head) {\n\t\tregistry.add(\"a\") { A() }\n\t\tNEW\n\t}\n}"),
        Case(
            "with CRLF", "\(head) {\r\n    registry.add(\"a\") { A() }\r\n}\r\n",
            "\(head) {\r\n    registry.add(\"a\") { A() }\r\n    NEW\r\n}\r\n"),
        Case(
            "behind a statement of several lines",
            "\(head) {\n  registry.add(\"a\") {\n    A(\n      1)\n  }\n}",
            "\(head) {\n  registry.add(\"a\") {\n    A(\n      1)\n  }\n  NEW\n}"),
        Case(
            "with another name for the registry",
            "func register(in names: inout Registry, clock: C = C()) {\n    names.add(\"a\") { A() }\n}",
            "func register(in names: inout Registry, clock: C = C()) {\n    names.add(\"a\") { A() }\n    NEW\n}"),
        Case("into empty braces", "    \(head) {}\n", "    \(head) {\n        NEW\n    }\n"),
        Case("into empty braces with CRLF", "\(head) {}\r\n", "\(head) {\r\n    NEW\r\n}\r\n"),
        Case("into empty lines", "  \(head) {\n\n  }\n", "  \(head) {\n\n      NEW\n  }\n"),
        Case("below a comment", "\(head) {\n    // None yet.\n}\n", "\(head) {\n    // None yet.\n    NEW\n}\n"),
        Case("below a comment of the same words", "// \(head)\n\(head) {\n}", "// \(head)\n\(head) {\n    NEW\n}"),
    ])
    func `a line is added`(_ example: Case) throws {
        try package.write(example.before, "Sources/shop/Shop.swift")
        let run = try NewRun("Orders", in: package)
        let registry = example.before.contains("in names:") ? "names" : "registry"
        let statement = "\(registry).add(\"orders\") { OrdersViewModel() }"
        #expect(try package.text("Sources/shop/Shop.swift") == example.after.replacing("NEW", with: statement))
        let lines = example.after.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let line = try #require(lines.firstIndex { $0.hasSuffix("NEW") }) + 1
        #expect(run.registration == "Sources/shop/Shop.swift:\(line): \(statement)")
    }

    @Test(arguments: [
        "", "// \(head) {}", "protocol Server {\n  \(head)\n  func other() {}\n}",
        "func register(at registry: inout Registry) {}", "func registered(in registry: inout Registry) {}",
        "register(in: &registry)", head, "\(head) {",
        // Several functions.
        "\(head) {}\nextension Other { func register(in names: inout Registry) {} }",
        "\(head) {}\n// \(head)\n/* \(head) */ func register(in names: inout Registry) {}",
        // Forms that only a parser could be sure of.
        "\(head) { Examples.register(in: &registry) }", "\(head)\n{\n}", "\(head) {\nlog()\n}",
        "\(head) {\n  #if DEBUG\n  registry.add(\"b\") { B() }\n  #endif\n}", "\(head) {\n  /*\n  */\n}",
        "\(head) {\n  log(\"\"\"\n  }\n  \"\"\")\n}", "\(head) {\n  if isOn { return }\n}", "\(head) {\n  log() }",
    ])
    func `where a simple reading isn't sure of the place, the line is printed`(_ text: String) throws {
        try package.write(text, "Sources/shop/Shop.swift")
        let run = try NewRun("Orders", in: package)
        #expect(run.ending == .status(0) && run.registration == nil)
        #expect(run.notes.last?.hasPrefix("register(in:), ") == true)
        #expect(run.notes.last?.hasSuffix(": add\n\n  registry.add(\"orders\") { OrdersViewModel() }") == true)
        #expect(try package.text("Sources/shop/Shop.swift") == text)
    }

    private static let manifest = """
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
        """

    /// Tests are those of the target's name, or those that need it; a program is the target itself, or the only one that needs
    /// it.
    @Test(arguments: [
        ("shop", "Tests/shopTests", true), ("Orders", "Tests/Everything", true), ("Nested", "Tests/NestedTests", true),
        ("Comment", "Tests/CommentTests", false), ("comment", "Tests/commentTests", false),
        ("Order", "Tests/OrderTests", false),
    ])
    func `a target's tests and its program are found in the manifest`(
        _ target: String, _ tests: String, _ hasProgram: Bool
    ) throws {
        try package.write(Self.manifest, "Package.swift")
        try package.write("", "Sources/\(target)/File.swift")
        let run = try NewRun("Items", "--target", target, in: package)
        #expect(run.files.contains("\(tests)/ItemsViewModelTests.swift"))
        let program = "swift run --package-path \(package.path) shop"
        #expect(run.commands.filter { $0.hasPrefix("swift run") }.last == (hasProgram ? program : nil))
        #expect(run.notes.first?.contains(#"package: "vms""#) == true)
        let lacksTests = run.notes.first?.contains("add to the targets") == true
        #expect(lacksTests == !["shop", "Orders"].contains(target))
    }

    @Test(arguments: ["", "let package = Package(name: \"x\", targets: targets)", ".target(name: \"x\""])
    func `a manifest without targets has neither tests nor programs`(_ text: String) throws {
        try package.write(text, "Package.swift")
        let run = try NewRun("Orders", in: package)
        #expect(run.commands == ["swift test --package-path \(package.path) --filter OrdersViewModelTests"])
        #expect(run.notes.first?.contains(#"package: "view-model-server""#) == true)
    }
}
