import FoundationEssentials

/// The conversations of `Tests/Transcripts`.
enum Transcripts {
    private static let folder = #filePath.replacing(
        "/SchemaValidationTests/Protocol/Transcripts.swift", with: "/Transcripts")

    /// Below that folder.
    static let paths: [String] = {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return paths.filter { $0.hasSuffix(".jsonl") }.sorted()
    }()

    static func text(of path: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
    }
}
