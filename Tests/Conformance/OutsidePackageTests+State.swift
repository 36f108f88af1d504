import FoundationEssentials
import Testing

extension OutsidePackageTests {
    /// A change of a durable view model's state breaks stored sessions, until it has a version of its own. The words are
    /// the article's.
    func keepState(_ folder: TemporaryFolder) throws {
        let source = folder.file("Sources/greeter/Greeter.swift")
        let original = try String(contentsOfFile: source, encoding: .utf8)
        let durable =
            original
            .replacing("GreetingViewModel: ViewModel {", with: "GreetingViewModel: ViewModel, DurableViewModel {")
            .replacing("private var count", with: "@Saved private var count")
        func write(_ text: String) throws { try text.write(toFile: source, atomically: true, encoding: .utf8) }
        func expect(_ words: String, _ contract: (log: String, ending: Program.Ending), _ status: Int32) {
            #expect(contract.log.contains(words), "\(contract.log)")
            #expect(contract.ending == .status(status))
        }

        try write(durable)
        expect("compatible      stored sessions: outlive their process from now on", try contract(folder, "--check"), 1)
        #expect(try contract(folder).ending == .status(0))
        let released = folder.file("released")
        try FileManager.default.copyItem(atPath: folder.file("Schemas/view-models"), toPath: released)

        let changed =
            durable.replacing("count = 0", with: #"count = "0""#).replacing("count += 1", with: #"count += "1""#)
            .replacing("number: count", with: "number: count.count")
        try write(changed)
        let breaking = try OwnBlock.breakingState.block().text
        expect(breaking, try contract(folder, "--check"), 1)
        expect("1 change that breaks stored sessions;", try contract(folder, "--check"), 1)
        expect(breaking, try contract(folder, "--check", "--against", released), 1)
        let nowhere = try contract(folder, "--check", "--against", folder.file("Sources"))
        #expect(nowhere.log.contains("--against: there is no contract in '\(folder.file("Sources"))'"))
        #expect(nowhere.ending != .status(0))

        let version = """
            @MainActor final class GreetingViewModel: ViewModel, DurableViewModel {
                nonisolated static let savedStateVersion = 2
            """
        let raised = changed.replacing(version.split(separator: "\n")[0], with: version)
        let hook = """
            \(version)
                nonisolated static func savedState(from decoder: any Decoder, version: Int) throws -> SavedProperties {
                    struct VersionOne: Decodable { var count: Int }
                    return SavedProperties(["count": "\\(try VersionOne(from: decoder).count)"])
                }
            """
        try write(raised.replacing(version, with: hook))
        let migrated = try contract(folder, "--check", "--against", released)
        expect(try OwnBlock.migratedState.block().text, migrated, 0)
        #expect(!migrated.log.contains("warning: greeting"))
        expect("no client and no stored session breaks", migrated, 0)

        // What its view models share: the type moves away from its name, and says it then.
        func object(_ name: String, _ members: String) -> String {
            let property = "private let shared = try? Container().resolve(\(name).self)\n    @Saved private var count"
            let type = """
                final class \(name): DurableSingleton {\(members)
                    private let ids = Saved<[Int]>([])
                    init(container: Container, arguments: Void) {}
                }
                """
            return durable.replacing("@Saved private var count", with: property) + "\n\(type)\n"
        }
        try write(object("Basket", ""))
        expect("compatible      shared Basket: was added", try contract(folder), 0)
        try write(object("Cart", ""))
        expect(try OwnBlock.breakingShared.block().text, try contract(folder, "--check"), 1)
        try write(object("Cart", #" static let savedName = "Basket""#))
        expect("up to date", try contract(folder, "--check"), 0)
        try write(object("Cart", " static let scope = SingletonScope.process"))
        expect("error: greeter.Cart is a DurableSingleton, and would be kept by", try contract(folder, "--check"), 1)
        try write(original)
    }
}
