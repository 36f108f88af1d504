import FoundationEssentials
import Testing

/// Mistakes in a view model, and in what it keeps, that the compiler refuses. Others are in `OversightTests`.
@Suite(.ownThread) struct RefusedMistakesTests {
    /// Each is refused in its first line.
    private static let mistakes: [(source: String, words: String)] = [
        ("actor A { @Saved private var total = N() }; struct N: Sendable {}", "that 'N' conform to 'Encodable'"),
        ("actor B { @Saved static var total = 0 }", "is not concurrency-safe"),
        (
            "final class C: DurableSingleton { @Saved var total = 0; init(container: Container, arguments: Void) {} }",
            "stored property '_total' of 'Sendable'-conforming class 'C' is mutable"
        ),
        (
            "final class D: Singleton { var rows = Rows<Int>(); init(container: Container, arguments: Void) {} }",
            "stored property 'rows' of 'Sendable'-conforming class 'D' is mutable"
        ),
        (
            "struct E: DurableSingleton { init(container: Container, arguments: Void) {} }",
            "non-class type 'E' cannot conform to class protocol 'DurableSingleton'"
        ),
        (
            "actor F: ViewModel, ObservableViewModel {\n\(members)\n}",
            "type 'F' does not conform to protocol 'ViewModel'"
        ),
        (
            "actor G: ViewModel, DurableViewModel { func restore(_ state: Int) {}\n\(members)\n}",
            "type 'G' does not conform to protocol 'DurableViewModel'"
        ),
        (
            "actor H: ViewModel, DurableViewModel { private enum CodingKeys: String, CodingKey { case n = \"m\" }\n\(members)\n}",
            "enum 'CodingKeys' must be as accessible as its enclosing type"
        ),
        ("func i(_ output: Output<Int>) { output.subscribe { print($0) } }", "result of call to 'subscribe' is unused"),
    ]

    private static let members = """
        enum ViewEvent: Codable { case press }
        enum ViewModelEvent: Codable { case total(Int) }
        let output = Output<ViewModelEvent>()
        @Saved var n = 0
        func handle(event: ViewEvent) {}
        """

    @Test(.enabled(if: Tool.swiftc.isInstalled)) func `the compiler refuses what it can`() throws {
        let folder = try TemporaryFolder()
        let names = Self.mistakes.indices.map { "Mistake\($0).swift" }
        for (name, mistake) in zip(names, Self.mistakes) {
            try "import ViewModels; \(mistake.source)\n"
                .write(toFile: folder.file(name), atomically: false, encoding: .utf8)
        }
        let compiler = try Program(
            Tool.swiftc.command,
            ["-typecheck", "-continue-building-after-errors", "-swift-version", "6", "-I", Checkout.modules]
                + names.map { folder.file($0) })
        compiler.closeInput()
        let output = try compiler.lines()
        _ = try compiler.end()
        let lines = output + (try compiler.errorText()).split(separator: "\n").map(String.init)
        for (name, mistake) in zip(names, Self.mistakes) {
            let isRefused = lines.contains { $0.contains("\(name):1:") && $0.contains(mistake.words) }
            #expect(isRefused, "\(mistake.source): \(lines.filter { $0.contains(name) })")
        }
    }
}
