import Examples
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct FinderPreviewTests {
    private func preview(of contents: [UInt8]) async throws -> Recorded<FinderPreviewViewModel> {
        let tree = try TemporaryTree()
        try tree.write(Array("file".utf8), contents)
        let scene = FinderScene(tree.path)
        try await scene.finder().model.handle(event: .preview(index: 0, id: nil))
        let preview = try Recorded<FinderPreviewViewModel>(scene.container.resolve())
        await preview.model.start()
        return preview
    }

    private static let many = (0..<100_000).map { "line \($0)\n" }.joined()

    @Test(
        arguments: [
            ("", []), ("\n", [""]), ("a", ["a"]), ("a\r\nb", ["a", "b"]), ("\n\na\n", ["", "", "a"]),
            (String(repeating: "é", count: 600), [String(repeating: "é", count: 500)]),
        ] as [(String, [String])])
    func `lines are as an editor counts them`(contents: String, lines: [String]) async throws {
        let preview = try await preview(of: Array(contents.utf8))
        await until { preview.model.lines.count == lines.count }
        #expect(try await preview.model.lines.rows(in: 0..<10).map(\.text) == lines)
    }

    @Test(arguments: [0..<3, 255..<258, 65_536..<65_540, 99_990..<100_000])
    func `lines of a large file are read where they are`(range: Range<Int>) async throws {
        let preview = try await preview(of: Array(Self.many.utf8))
        await until { preview.model.lines.count == 100_000 }
        let lines = try await preview.model.lines.rows(in: range)
        #expect(lines.map(\.id) == range.map { $0 + 1 })
        #expect(lines.map(\.text) == range.map { "line \($0)" })
    }

    @Test func `a binary file has no lines, and a note`() async throws {
        let preview = try await preview(of: [1, 0, 2, 0x0A])
        #expect(preview.events.elements.last == .note(message: "The file is binary."))
        #expect(preview.model.lines.isEmpty)
    }
}
