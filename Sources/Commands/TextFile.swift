import FoundationEssentials

/// Reads and writes files, most of them text.
enum TextFile {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the text of a file; nil if there is none.
    static func read(_ path: String) throws(Failure) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Failure(description: "\(path): can't be read")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes the whole text or nothing, and makes missing folders.
    static func write(_ text: String, to path: String) throws(Failure) {
        do {
            let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            if !folder.isEmpty {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw Failure(description: "\(path): can't be written: \(error)")
        }
    }

    /// Makes a folder, and missing folders above it.
    static func makeFolder(_ path: String) throws(Failure) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw Failure(description: "\(path): can't be made: \(error)")
        }
    }

    static func remove(_ path: String) throws(Failure) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw Failure(description: "\(path): can't be removed: \(error)")
        }
    }

    /// Returns the paths of the files in a folder whose names have this suffix, sorted. For a file, returns its path; for a
    /// path with nothing there, returns none.
    static func paths(at path: String, endingIn suffix: String) -> [String] {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return [] }
        guard isFolder else { return [path] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(path)/\($0)" }
    }
    /// Returns the paths of all files with this suffix in a folder and its subfolders, sorted, without hidden ones.
    static func paths(under folder: String, endingIn suffix: String) -> [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        let wanted = names.filter { name in
            name.hasSuffix(suffix) && !name.split(separator: "/").contains { $0.hasPrefix(".") }
        }
        return wanted.sorted().map { "\(folder)/\($0)" }
    }

    /// Returns the bytes of a file; nil if there is no file that can be read.
    static func bytes(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { [UInt8]($0) }
    }

    /// Whether `path` is a file or a link to one.
    static func isFile(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder
    }

    /// Whether there is anything at `path`, even a link that leads nowhere.
    static func exists(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: path)) != nil
    }
}
