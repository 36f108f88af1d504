import FoundationEssentials
import Testing

/// The output of `swift package dump-package` for this package.
struct PackageDescription: Decodable {
    struct Target: Decodable {
        let name: String
        let dependencies: [String]
        let isTest: Bool
        /// Whether it is in `Sources`, where SwiftPM looks when no path is given, or in the client in Swift.
        let isSource: Bool

        private enum Key: CodingKey {
            case name, dependencies, type, path
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            name = try container.decode(String.self, forKey: .name)
            dependencies = try container.decode([Dependency].self, forKey: .dependencies).map(\.name)
            isTest = try container.decode(String.self, forKey: .type) == "test"
            let path = try container.decodeIfPresent(String.self, forKey: .path)
            let folders = SourceFile.folders.map { "\($0)/" }
            isSource = !isTest && path.map { path in folders.contains { path.hasPrefix($0) } } ?? true
        }
    }

    /// Written as `{"byName": ["JSON", null]}`, or with another way to name it for its key.
    private struct Dependency: Decodable {
        let name: String

        init(from decoder: any Decoder) throws {
            let ways = try decoder.singleValueContainer().decode([String: [Name]].self)
            name = ways.values.first?.first?.text ?? ""
        }
    }

    /// A name among other things that are of no interest here.
    private struct Name: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }

    private struct AnyDependency: Decodable {}

    let targets: [Target]
    /// How many other packages it depends on.
    let dependencies: Int

    private enum CodingKeys: CodingKey {
        case targets, dependencies
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        targets = try container.decode([Target].self, forKey: .targets)
        dependencies = try container.decode([AnyDependency].self, forKey: .dependencies).count
    }

    /// Asks SwiftPM, with a scratch path of its own: the usual one may be locked by the process that runs the tests.
    static func load() throws -> PackageDescription {
        let scratch = try TemporaryFolder()
        let arguments = ["package", "--package-path", Checkout.root, "--scratch-path", scratch.path, "dump-package"]
        let swift = try Program(Tool.swift.command, arguments)
        let text = try swift.lines().joined(separator: "\n")
        let ending = try swift.end()
        try #require(ending == .status(0), "\(swift.report)")
        return try JSONDecoder().decode(PackageDescription.self, from: Data(text.utf8))
    }
}
