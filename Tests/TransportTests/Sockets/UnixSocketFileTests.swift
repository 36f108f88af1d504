import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct UnixSocketFileTests {
        @Test func `the file is private, and gone after the close`() async throws {
            try await withSocketPath { loop, path in
                let listener = try Listener.unix(path: path, on: loop) { _ in }
                var status = stat()
                #expect(lstat(path, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600)
                #expect(listener.address == path && listener.port == nil)
                listener.close()
                #expect(lstat(path, &status) != 0)
            }
        }

        @Test func `a live server's socket is an error that says so`() async throws {
            try await withSocketPath { loop, path in
                let listener = try Listener.unix(path: path, on: loop) { _ in }
                let error = #expect(throws: SystemError.self) { try Listener.unix(path: path, on: loop) { _ in } }
                #expect(error?.description == "bind \(path): is in use by another server")
                listener.close()
            }
        }

        @Test func `a dead server's socket is replaced`() async throws {
            try await withSocketPath { loop, path in
                let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
                let result = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        bind(dead, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                    }
                }
                #expect(result == 0)
                close(dead)
                try Listener.unix(path: path, on: loop) { _ in }.close()
            }
        }

        @Test func `a file that is no socket is left alone, and so is a socket that took our place`() async throws {
            try await withSocketPath { loop, path in
                close(open(path, O_CREAT | O_WRONLY, 0o600))
                let error = #expect(throws: SystemError.self) { try Listener.unix(path: path, on: loop) { _ in } }
                #expect(error?.description.contains("is not a socket") == true)
                #expect(unlink(path) == 0)
                let first = try Listener.unix(path: path, on: loop) { _ in }
                #expect(unlink(path) == 0)
                let second = try Listener.unix(path: path, on: loop) { _ in }
                first.close()
                var status = stat()
                #expect(lstat(path, &status) == 0, "the second server's")
                second.close()
            }
        }

        @Test func `a path may have 107 bytes and no more`() async throws {
            try await withSocketPath { loop, path in
                let longest = path + String(repeating: "x", count: 107 - path.utf8.count)
                try Listener.unix(path: longest, on: loop) { _ in }.close()
                let error = #expect(throws: SystemError.self) {
                    try Listener.unix(path: longest + "x", on: loop) { _ in }
                }
                #expect(error?.description.hasSuffix("the path has 108 bytes, a Unix socket's may have 107") == true)
                #expect(throws: SystemError.self) { try Listener.unix(path: "", on: loop) { _ in } }
            }
        }
    }
}

private func withSocketPath(_ body: @escaping @Sendable (EventLoop, String) throws -> Void) async throws {
    try await withLoop(.default) { loop in
        let directory = try TemporaryDirectory()
        try await loop.run { try body(loop, directory.path + "/s") }
        directory.remove()
    }
}
