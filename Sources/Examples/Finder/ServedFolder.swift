#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import ViewModels

/// The folder that finders may look into, and no further: whoever reaches the server can open one.
package struct ServedFolder: Sendable {
    private let path: String

    /// - Parameter path: absolute, or relative to the folder that the process was started in.
    package init(_ path: String) {
        self.path = path
    }

    /// The absolute path of a folder, without links in it.
    ///
    /// - Parameter root: absolute, or relative to this folder; nil for this folder itself.
    /// - Throws: `InvalidArgument` where it isn't there, or is outside of this folder.
    package func resolve(_ root: String?) throws -> String {
        guard let top = Self.resolved(path) else {
            throw InvalidArgument("root", "the server's folder can't be read: \(Self.lastError)")
        }
        guard let root, !root.isEmpty else { return top }
        guard let found = Self.resolved(root.hasPrefix("/") ? root : "\(top)/\(root)") else {
            throw InvalidArgument("root", "\(root) can't be read: \(Self.lastError)")
        }
        // By bytes: two names may be equal as texts, and those of different folders.
        guard top == "/" || found.utf8.elementsEqual(top.utf8) || found.utf8.starts(with: "\(top)/".utf8) else {
            throw InvalidArgument("root", "\(root) is outside of \(top), the folder that this server serves")
        }
        return found
    }

    private static var lastError: String { String(cString: strerror(errno)) }

    private static func resolved(_ path: String) -> String? {
        guard !path.utf8.contains(0), let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        guard let text = String(validatingCString: resolved) else {
            errno = EILSEQ
            return nil
        }
        return text
    }
}

/// The absolute path of a file, which need not be UTF-8.
struct FilePath: Sendable {
    private let bytes: [UInt8]

    init(_ path: [UInt8], below root: String) {
        bytes = Array(root.utf8) + (root.hasSuffix("/") ? [] : [UInt8(ascii: "/")]) + path
    }

    /// As it is shown.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// As RFC 8089 has it.
    var uri: String {
        bytes.reduce(into: "file://") { uri, byte in
            if (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "/-._~".utf8.contains(byte) {
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                uri += byte < 16 ? "%0" : "%"
                uri += String(byte, radix: 16, uppercase: true)
            }
        }
    }

    /// Also of a link that leads nowhere.
    var exists: Bool {
        var status = stat()
        return fstatat(AT_FDCWD, cString(bytes), &status, CInt(AT_SYMLINK_NOFOLLOW)) == 0
    }
}
