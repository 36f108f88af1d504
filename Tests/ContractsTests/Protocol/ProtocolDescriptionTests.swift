import Contracts
import JSONRPC
import SchemaValidation
import Serving
import TestSupport
import Testing
import ViewModelProtocol

/// `Schemas` and the types of the protocol agree. Doc comments aren't known here; `contract --check` compares them too.
@Suite(.inTurn) struct ProtocolDescriptionTests {
    private let description = ProtocolDescription()

    @Test func `protocol.schema.json is made of the types`() throws {
        #expect(description.problems == [])
        let file = try JSONTree(parsing: ProtocolSchema.text(of: "protocol.schema.json"))
        #expect(file.withoutComments == description.schema.withoutComments)
    }

    @Test func `openrpc.json is made of the types`() throws {
        let file = try JSONTree(parsing: ProtocolSchema.text(of: "openrpc.json"))
        #expect(try file.withoutComments == description.openRPC.withoutComments)
    }

    @Test func `an object that both sides send has no schema`() {
        let problems = ProtocolDescription(methods: [Echo.self]).problems
        #expect(problems.map(\.type) == ["Shared"])
    }

    @Test func `a type that encodes itself has no schema, unless it gives one`() {
        let problems = ProtocolDescription(methods: [Secret.self]).problems
        #expect(problems.map(\.part) == ["secret"])
    }

    @Test func `tables have a row for each message and error`() {
        let methods = description.methodsTable.split(separator: "\n")
        #expect(methods.contains("| `session/detach` | request | `session` | null | after `initialize` |  |"))
        #expect(methods.contains("| `$/cancelRequest` | notification | `id` |  | after `initialize` |  |"))
        let notifications = description.notificationsTable.split(separator: "\n")
        #expect(notifications.count == ServerNotifications.all.count + 2)
        #expect(notifications.contains("| `session/closed` | `session`, `reason` |  |"))
        let errors = description.errorsTable.split(separator: "\n")
        #expect(errors.count == ProtocolError.all.count + 2)
        #expect(errors.contains("| -32015 | LimitExceeded | A limit was exceeded. | `limit`, `retryAfterMs`? |"))
    }
}

@Suite(.inTurn) struct MarkdownTableTests {
    @Test func `marked regions are made anew, and nothing else`() throws {
        let page = """
            before
            <!-- generated: a -->
            old
            <!-- end generated -->
            between
            <!-- generated: unknown -->
            kept
            <!-- end generated -->
            after
            """
        let expected = page.replacing("old\n", with: "| new |\n")
        let rewritten = try MarkdownTable.rewrite(page, regions: ["a": "| new |\n"])
        #expect(rewritten == expected)
        #expect(try MarkdownTable.rewrite(rewritten, regions: ["a": "| new |\n"]) == expected)
    }

    @Test func `a region without an end is an error that names it`() {
        #expect(throws: MarkdownTable.UnclosedRegion.self) {
            try MarkdownTable.rewrite("<!-- generated: a -->\n", regions: ["a": ""])
        }
    }

    @Test func `a cell is one line, and no more cells`() {
        #expect(MarkdownTable.text(["a"], [["b|c\nd"]]) == "| a |\n| --- |\n| b\\|c d |\n")
    }
}

private enum Echo: ClientMethod {
    struct Shared: Codable {
        var text: String
    }

    struct Params: Codable { var value: Shared }
    struct Result: Codable { var value: Shared }

    static let name: StaticString = "echo"
    static let examples: [MessageExample] = []
}

private enum Secret: ClientMethod {
    struct Params: Codable {
        var value: Int

        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Int.self)
        }
    }

    typealias Result = Null

    static let name: StaticString = "secret"
    static let examples: [MessageExample] = []
}

extension JSONTree {
    /// Without the texts that are for people. Values that each have a description then are a plain list of values.
    fileprivate var withoutComments: JSONTree {
        switch self {
        case .object(let members):
            .object(
                members.filter { member in
                    guard case .string = member.value else { return true }
                    return member.name != "description" && member.name != "summary"
                }.map { Member($0.name, $0.value.withoutComments).withPlainValues })
        case .array(let elements): .array(elements.map(\.withoutComments))
        default: self
        }
    }
}

extension JSONTree.Member {
    fileprivate var withPlainValues: JSONTree.Member {
        guard name == "oneOf", case .array(let elements) = value else { return self }
        let values = elements.compactMap { element -> JSONTree? in
            guard case .object(let members) = element, members.count == 1 else { return nil }
            return element["const"]
        }
        return values.count == elements.count ? JSONTree.Member("enum", .array(values)) : self
    }
}
