#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A folder for a test, which is removed with all that is in it.
final class TemporaryTree: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let path: String

    init() throws {
        var template = Array("/tmp/finder-XXXXXX\0".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failure(description: "no folder in /tmp can be made") }
        path = String(cString: made)
    }

    deinit {
        _ = system("chmod -R u+rwX '\(path)' && rm -rf '\(path)'")
    }

    /// Makes a file, and the folders that it is in.
    func write(_ name: some Collection<UInt8>, _ contents: some Collection<UInt8> = []) throws {
        let file = Array(path.utf8) + [0x2F] + name
        for slash in file.indices.dropFirst(path.utf8.count + 1) where file[slash] == 0x2F {
            try make(folder: Array(file[..<slash]))
        }
        guard let stream = fopen(cString(file), "w") else {
            throw Failure(description: "\(String(decoding: name, as: UTF8.self)): \(errno)")
        }
        defer { fclose(stream) }
        let bytes = Array(contents)
        guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else {
            throw Failure(description: "writing: \(errno)")
        }
    }

    func write(_ name: String, _ contents: String = "") throws {
        try write(Array(name.utf8), Array(contents.utf8))
    }

    /// Removes a file, or a folder with all that is in it.
    func remove(_ name: String) throws {
        guard system("rm -r '\(path)/\(name)'") == 0 else { throw Failure(description: "\(name) can't be removed") }
    }

    /// Makes a link to another path.
    func link(_ name: String, to target: String) throws {
        guard symlink(target, "\(path)/\(name)") == 0 else { throw Failure(description: "\(name): \(errno)") }
    }

    /// Makes folders in each other, deeper than a path can say, with a file `f` in each.
    func nest(_ name: String, depth: Int) throws {
        var folder = open(path, O_RDONLY | O_DIRECTORY)
        for _ in 0..<depth {
            let file = openat(folder, "f", O_CREAT | O_WRONLY, 0o644)
            guard file >= 0, mkdirat(folder, name, 0o755) == 0 else { throw Failure(description: "mkdirat: \(errno)") }
            let below = openat(folder, name, O_RDONLY | O_DIRECTORY)
            close(file)
            close(folder)
            folder = below
        }
        close(folder)
    }

    private func cString(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

    private func make(folder: [UInt8]) throws {
        guard mkdir(cString(folder), 0o755) == 0 || errno == EEXIST else {
            throw Failure(description: "mkdir: \(errno)")
        }
    }
}
