import Testing

@testable import Commands

@Suite struct NewRegistrationTests {
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let before: String
        let after: String

        init(_ name: String, _ before: String, _ after: String) {
            (testDescription, self.before, self.after) = (name, before, after)
        }
    }

    private static let head = "static func register(in registry: inout Registry)"

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
        let place = try #require(NewRegistration(in: SwiftSource(example.before)))
        let added = place.adding("NEW")
        #expect(added.text == example.after)
        let lines = example.after.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        #expect(lines.dropFirst(added.line - 1).first?.drop { $0 == " " || $0 == "\t" } == "NEW")
    }

    @Test(arguments: [
        "", "// \(head) {}", "protocol Server {\n  \(head)\n  func other() {}\n}",
        "func register(at registry: inout Registry) {}", "func registered(in registry: inout Registry) {}",
        "register(in: &registry)", head, "\(head) {",
        // Several functions.
        "\(head) {}\nextension Other { func register(in names: inout Registry) {} }",
        // Forms that only a parser could be sure of.
        "\(head) { Examples.register(in: &registry) }", "\(head)\n{\n}", "\(head) {\nlog()\n}",
        "\(head) {\n  #if DEBUG\n  registry.add(\"b\") { B() }\n  #endif\n}", "\(head) {\n  /*\n  */\n}",
        "\(head) {\n  log(\"\"\"\n  }\n  \"\"\")\n}", "\(head) {\n  if isOn { return }\n}", "\(head) {\n  log() }",
    ])
    func `a place that isn't sure is none`(_ text: String) {
        #expect(NewRegistration(in: SwiftSource(text)) == nil)
    }

    @Test func `every declaration is counted, and comments are not`() {
        let text = "\(Self.head) {}\n// \(Self.head)\n/* \(Self.head) */ func register(in names: inout Registry) {}"
        #expect(NewRegistration.count(in: SwiftSource(text)) == 2)
    }
}
