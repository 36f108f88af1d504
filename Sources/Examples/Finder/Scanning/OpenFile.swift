#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A regular file that is read.
final class OpenFile: Sendable {
    let descriptor: CInt

    /// Nil where it can't be read, is a link, or is no regular file. It never waits for the other side of a pipe.
    ///
    /// - Parameter folder: a descriptor, from which a relative path starts.
    init?(_ path: [UInt8], in folder: CInt = AT_FDCWD) {
        let path = cString(path)
        descriptor = untilUninterrupted {
            openat(folder, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        }
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    }

    /// A file below a folder, of whose path no part may be a link.
    convenience init?(_ path: [UInt8], below root: RootFolder) {
        let slash = path.lastIndex(of: UInt8(ascii: "/"))
        guard let folder = RootFolder(path[..<(slash ?? 0)], below: root) else { return nil }
        self.init(Array(path[(slash.map { $0 + 1 } ?? 0)...]), in: folder.descriptor)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// How many bytes were read, 0 at the end; nil where it fails.
    func read(into memory: UnsafeMutableRawBufferPointer) -> Int? {
        let count = untilUninterrupted { systemRead(descriptor, memory.baseAddress, memory.count) }
        return count < 0 ? nil : count
    }

    /// Reads from an offset on, in bytes; any thread may call it.
    func read(into memory: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
        let count = untilUninterrupted { pread(descriptor, memory.baseAddress, memory.count, offset) }
        return count < 0 ? nil : count
    }

    /// All of the file; nil of one that is longer, or that can't be read.
    func contents(maximumBytes: Int) -> [UInt8]? {
        var text: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4096)
        while text.count <= maximumBytes {
            guard let count = block.withUnsafeMutableBytes({ read(into: $0) }) else { return nil }
            if count == 0 { return text }
            text += block[..<count]
        }
        return nil
    }
}

/// A text of C, which takes an array for a pointer.
func cString(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

/// Calls again what a signal interrupted.
func untilUninterrupted<Value: SignedInteger>(_ call: () -> Value) -> Value {
    while true {
        let value = call()
        if value >= 0 || errno != EINTR { return value }
    }
}

private func systemRead(_ descriptor: CInt, _ memory: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, memory, count)
}
