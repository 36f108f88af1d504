import Contracts
import FoundationEssentials
import Testing

/// `viewModel/describe`, as a client that knows nothing of the server asks it.
@Suite(.ownThread) struct DescribeTests {
    private static let schemas = "\(Checkout.root)/Schemas/view-models"

    @Test(arguments: ["orders", "todos", "stopwatch", "orderDetails"])
    func `with --schemas the answer is what the file says, descriptions and all, without what is stored`(
        _ name: String
    ) throws {
        let server = try Program.server("--stdio", "--schemas", Self.schemas)
        try server.send(Wire.initialize, Wire.request(2, "viewModel/describe", #"{"viewModel":"\#(name)"}"#))
        #expect(Wire.isInitialized(try server.line()))
        let answer = try #require(try server.line())
        let file = try String(contentsOfFile: "\(Self.schemas)/\(name).schema.json", encoding: .utf8)
        let contract = try JSONTree(parsing: file)
        #expect((contract["state"] != nil) == (name != "stopwatch"))
        #expect(answer == Wire.result(2, Self.compact(contract.withoutState.line)))
        #expect(answer.contains(#""description":"#))
    }

    @Test func `a file that says something else than the code stops the start`() throws {
        let folder = try TemporaryFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.schemas) {
            let text = try String(contentsOfFile: "\(Self.schemas)/\(name)", encoding: .utf8)
            try text.replacing(#""selectOrder""#, with: #""chooseOrder""#)
                .write(toFile: folder.file(name), atomically: false, encoding: .utf8)
        }
        let server = try Program.server("--stdio", "--schemas", folder.path)
        #expect(try server.end() == .status(64))
        let errors = try server.errorText()
        #expect(errors.contains("orders.schema.json isn't what the code says; 'swift package contract'"))
    }

    /// Without the white space between values.
    private static func compact(_ text: String) -> String {
        var isString = false
        var isEscaped = false
        return text.filter { character in
            defer {
                isEscaped = isString && character == "\\" && !isEscaped
            }
            if character == "\"", !isEscaped { isString.toggle() }
            return isString || !character.isWhitespace
        }
    }
}
