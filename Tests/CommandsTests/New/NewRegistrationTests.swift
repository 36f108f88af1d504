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
            "in the middle, where something else follows",
            "\(head) {\n    registry.add(\"a\", A.self)\n    log()\n}\n",
            "\(head) {\n    registry.add(\"a\", A.self)\n    NEW\n    log()\n}\n"),
        Case(
            "with tabs", "struct S {\n\t\(head) {\n\t\tregistry.add(\"a\") { A() }\n\t}\n}",
            "struct S {\n\t\(head) {\n\t\tregistry.add(\"a\") { A() }\n\t\tNEW\n\t}\n}"),
        Case(
            "with CRLF", "\(head) {\r\n    registry.add(\"a\") { A() }\r\n}\r\n",
            "\(head) {\r\n    registry.add(\"a\") { A() }\r\n    NEW\r\n}\r\n"),
        Case(
            "behind a comment on its line", "\(head) {\n  registry.add(\"a\") { A() }  // registry.add(\n}",
            "\(head) {\n  registry.add(\"a\") { A() }  // registry.add(\n  NEW\n}"),
        Case(
            "not behind one in a comment, or in a string",
            "\(head) {\n  registry.add(\"a\") { A() }\n  // registry.add(\"b\") { B() }\n  log(\"registry.add(\")\n}",
            "\(head) {\n  registry.add(\"a\") { A() }\n  NEW\n  // registry.add(\"b\") { B() }\n  log(\"registry.add(\")\n}"
        ),
        Case(
            "behind all lines of one",
            "\(head) {\n  registry.add(\"a\") {\n    A(\n      1)\n  }\n  registry.container.register(X.self)\n}",
            "\(head) {\n  registry.add(\"a\") {\n    A(\n      1)\n  }\n  NEW\n  registry.container.register(X.self)\n}"
        ),
        Case(
            "behind a closure on the next line", "\(head) {\n  registry.add(\"a\")\n  { A() }\n}",
            "\(head) {\n  registry.add(\"a\")\n  { A() }\n  NEW\n}"),
        Case(
            "not where a condition holds",
            "\(head) {\n  registry.add(\"a\") { A() }\n  #if DEBUG\n  registry.add(\"b\") { B() }\n  #endif\n}",
            "\(head) {\n  registry.add(\"a\") { A() }\n  NEW\n  #if DEBUG\n  registry.add(\"b\") { B() }\n  #endif\n}"),
        Case(
            "at the end, where all are conditional", "\(head) {\n  if isOn {\n    registry.add(\"b\") { B() }\n  }\n}",
            "\(head) {\n  if isOn {\n    registry.add(\"b\") { B() }\n  }\n  NEW\n}"),
        Case(
            "with another name",
            "func register(in names: inout Registry, clock: C = C()) {\n    names.add(\"a\") { A() }\n}",
            "func register(in names: inout Registry, clock: C = C()) {\n    names.add(\"a\") { A() }\n    NEW\n}"),
        Case("into braces with nothing", "    \(head) {}\n", "    \(head) {\n        NEW\n    }\n"),
        Case("into braces with a blank", "\(head) { }\n", "\(head) {\n    NEW\n}\n"),
        Case("into empty lines", "  \(head) {\n\n  }\n", "  \(head) {\n    NEW\n  }\n"),
        Case("below a comment", "\(head) {\n    // None yet.\n}\n", "\(head) {\n    // None yet.\n    NEW\n}\n"),
        Case(
            "into one line", "\t\(head) { Examples.register(in: &registry) }\n",
            "\t\(head) {\n\t\tExamples.register(in: &registry)\n\t\tNEW\n\t}\n"),
        Case(
            "into one line with another", "\(head) { registry.add(\"a\") { A() } }",
            "\(head) {\n    registry.add(\"a\") { A() }\n    NEW\n}"),
        Case(
            "where the last closes the function",
            "\(head) {\n  registry.add(\"a\") { A() }\n  registry.add(\"b\") { B() } }",
            "\(head) {\n  registry.add(\"a\") { A() }\n  registry.add(\"b\") { B() }\n  NEW\n}"),
        Case(
            "where the brace stands below", "\(head)\n{\n    registry.add(\"ä\") { A() }\n}",
            "\(head)\n{\n    registry.add(\"ä\") { A() }\n    NEW\n}"),
    ])
    func `a line is added`(_ example: Case) throws {
        let places = NewRegistration.all(in: SwiftCode(example.before))
        #expect(places.count == 1)
        let added = try #require(places.first).adding("NEW")
        #expect(added.text == example.after)
        let lines = example.after.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        #expect(lines.dropFirst(added.line - 1).first?.drop { $0 == " " || $0 == "\t" } == "NEW")
    }

    @Test(arguments: [
        "", "// func register(in registry: inout Registry) {}", "let text = \"func register(in registry: R) {}\"",
        "protocol Server {\n  static func register(in registry: inout Registry)\n  func other() {}\n}",
        "func register(at registry: inout Registry) {}", "func registered(in registry: inout Registry) {}",
        "func register(in registry: inout Registry", "func register(in registry: inout Registry) {",
        "func register(in registry: inout Registry)", "register(in: &registry)",
    ])
    func `what names no view models is no place for one`(_ text: String) {
        #expect(NewRegistration.all(in: SwiftCode(text)).isEmpty)
    }

    @Test func `every place is found`() {
        let text = "\(Self.head) {}\nextension Other { func register(in names: inout Registry) {} }"
        #expect(NewRegistration.all(in: SwiftCode(text)).map(\.registry) == ["registry", "names"])
    }
}
