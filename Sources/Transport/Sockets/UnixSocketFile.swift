import LibC

/// The file of a listening Unix socket. Only the file's user can connect. The file replaces that of a server that died, and
/// is removed when the server ends.
///
/// The socket is bound and listens under a temporary name, and is then renamed. So the socket under the path is never open to
/// other users, and never refuses connections. Of two servers that start at once, exactly one gets the path.
struct UnixSocketFile {
    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t
    }

    let path: String
    private let directoryPath: String
    private let name: String
    private var identity: Identity?

    /// Splits the path.
    ///
    /// - Throws: when the path is too long, or names no file.
    init(path: String) throws(SystemError) {
        _ = try SocketAddress(path: path)
        self.path = path
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        directoryPath = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard !name.isEmpty, name != ".", name != ".." else {
            throw SystemError(code: EISDIR, call: "bind", subject: path)
        }
    }

    /// Binds the socket, listens, and gives the file its name.
    ///
    /// - Throws: when another server listens there, or the path is that of a file that isn't a socket.
    mutating func listen() throws(SystemError) -> Descriptor {
        let directory = try openDirectory()
        let descriptor = try Socket.make(family: AF_UNIX)
        // On Linux a socket's file gets the mode of the socket, so it is private from the first moment, and the umask,
        // which belongs to the whole process, stays as it is.
        guard fchmod(descriptor.number, 0o600) == 0 else { throw SystemError.last("fchmod", path) }
        let temporary = Self.temporaryName()
        // Through /proc the length of the directory's path doesn't count, so the temporary name may be longer than the real
        // one.
        try rename(error: path) { () throws(SystemError) in
            try Socket.bind(descriptor, to: SocketAddress(path: "/proc/self/fd/\(directory.number)/\(temporary)"))
        }
        do throws(SystemError) {
            try Socket.listen(descriptor, path)
            identity = try identify(temporary, in: directory)
            try publish(temporary, in: directory)
        } catch {
            unlinkat(directory.number, temporary, 0)
            identity = nil
            throw error
        }
        return descriptor
    }

    /// Removes the file, unless another server has replaced it.
    func remove() {
        guard let identity, let directory = try? openDirectory() else { return }
        guard (try? identify(name, in: directory)) == identity else { return }
        unlinkat(directory.number, name, 0)
    }

    private func openDirectory() throws(SystemError) -> Descriptor {
        try Descriptor(clinux_open_directory(directoryPath), "open", directoryPath)
    }

    /// Gives the listening socket its name. Removes the file of a dead server, at most eight times.
    private func publish(_ temporary: String, in directory: borrowing Descriptor) throws(SystemError) {
        for _ in 0..<8 {
            if clinux_rename_exclusively(directory.number, temporary, name) == 0 { return }
            guard errno == EEXIST else { throw SystemError.last("rename", path) }
            try removeStale(in: directory)
        }
        throw SystemError(code: EADDRINUSE, call: "bind", subject: path, reason: "other servers start there too")
    }

    /// Removes the file of a dead server. The file is first moved aside: if it turns out to be another one, because another
    /// server took the path in between, it is moved back.
    ///
    /// - Throws: when a server listens there, or the file isn't a socket.
    private func removeStale(in directory: borrowing Descriptor) throws(SystemError) {
        guard let found = try identify(name, in: directory) else { return }
        guard try isRefusing() else {
            throw SystemError(code: EADDRINUSE, call: "bind", subject: path, reason: "is in use by another server")
        }
        let aside = Self.temporaryName()
        guard renameat(directory.number, name, directory.number, aside) == 0 else {
            if errno == ENOENT { return }
            throw SystemError.last("rename", path)
        }
        guard try identify(aside, in: directory) == found else {
            _ = clinux_rename_exclusively(directory.number, aside, name)
            return
        }
        unlinkat(directory.number, aside, 0)
    }

    /// Returns whether nobody listens at the path any more.
    private func isRefusing() throws(SystemError) -> Bool {
        let probe = try Socket.make(family: AF_UNIX)
        let number = probe.number
        guard try SocketAddress(path: path).withSocketAddress({ connect(number, $0, $1) }) != 0 else { return false }
        return errno == ECONNREFUSED
    }

    /// Returns the identity of a socket's file; nil when there is no file.
    ///
    /// - Throws: when the file isn't a socket.
    private func identify(_ name: String, in directory: borrowing Descriptor) throws(SystemError) -> Identity? {
        var status = stat()
        guard fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw SystemError.last("stat", path)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            let reason = "exists and is not a socket; choose another path or remove it"
            throw SystemError(code: EEXIST, call: "bind", subject: path, reason: reason)
        }
        return Identity(device: status.st_dev, inode: status.st_ino)
    }

    /// Returns a short, hidden and unique name.
    private static func temporaryName() -> String {
        ".\(getpid())-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    /// Runs `body`, and has its errors name the path that the user gave.
    private func rename(error subject: String, _ body: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) {
            try body()
        } catch {
            throw SystemError(code: error.code, call: error.call, subject: subject, reason: error.reason)
        }
    }
}
