/// The places for a new view model's tests, and the changes that the package still needs for them.
struct NewTests {
    /// The folder of the tests.
    let folder: String
    /// The folder of the transcripts that a test replays, or will replay.
    let transcripts: String
    /// Whether a test replays the transcripts in that folder already.
    let replays: Bool
    /// The changes that `Package.swift` still needs.
    let notes: [String]

    init(of target: NewPackage.Target, in package: NewPackage) {
        let tests = package.manifest.tests(of: target.name)
        folder = "\(package.root)\(tests?.path ?? "Tests/\(target.name)Tests")"
        let known = Self.transcripts(in: folder)
        replays = known != nil
        transcripts = known ?? "\(folder)/Transcripts"
        notes = Self.notes(tests, of: target.name, in: package, isInside: transcripts.hasPrefix("\(folder)/"))
    }

    /// Returns the folder that the first test of transcripts names; nil if there is no such test.
    private static func transcripts(in folder: String) -> String? {
        let files = (try? NewPackage.files(in: folder)) ?? []
        for file in files {
            guard let match = file.source.code.firstMatch(of: /\bTranscript\.all\(\s*in:\s*"([^"\\]+)"/),
                !match.1.hasPrefix("/")
            else { continue }
            return NewPackage.simplified("\(file.path.dropLast(file.name.count))\(match.1)")
        }
        return nil
    }

    private static func notes(
        _ tests: PackageManifest.Target?, of target: String, in package: NewPackage, isInside: Bool
    ) -> [String] {
        let product = ".product(name: \"TranscriptTesting\", package: \"\(package.manifest.serverPackage)\")"
        let path = "\(package.root)Package.swift"
        guard let tests else {
            return [
                """
                \(path): add to the targets

                  .testTarget(
                      name: "\(target)Tests",
                      dependencies: ["\(target)", \(product)],
                      exclude: ["Transcripts"]),
                """
            ]
        }
        let dependencies = [("\"\(target)\"", target), (product, "TranscriptTesting")]
            .filter { !tests.mentions($0.1) }.map(\.0)
        var lines: [String] = []
        if !dependencies.isEmpty { lines.append("dependencies: [\(dependencies.joined(separator: ", "))],") }
        if isInside, !tests.mentions("Transcripts") { lines.append("exclude: [\"Transcripts\"],") }
        if lines.isEmpty { return [] }
        let added = lines.map { "\n  \($0)" }.joined()
        return ["\(path): add to .testTarget(name: \"\(tests.name)\", …)\n\(added)"]
    }
}
