import FoundationEssentials

/// Finds the transcripts in a folder by the names of their files.
package enum TranscriptFolder {
    /// Returns the paths of the `.jsonl` files of a folder, sorted by name, without those of subfolders.
    ///
    /// - Throws: `TranscriptError` if the folder can't be read, or has none: usually the path is mistyped.
    package static func transcripts(in folder: String) throws(TranscriptError) -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw TranscriptError(path: folder, reason: "there is no folder that can be read")
        }
        let paths = names.filter { $0.hasSuffix(".jsonl") }.sorted().map { "\(folder)/\($0)" }
        guard !paths.isEmpty else { throw TranscriptError(path: folder, reason: "there is no .jsonl file in it") }
        return paths
    }

    /// Returns the paths of the transcripts in a folder, or the path itself if it isn't one.
    ///
    /// - Throws: `TranscriptError` as `transcripts(in:)` does.
    package static func transcripts(at path: String) throws(TranscriptError) -> [String] {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder else { return [path] }
        var folder = path[...]
        while folder.count > 1, folder.hasSuffix("/") { folder = folder.dropLast() }
        return try transcripts(in: String(folder))
    }
}
