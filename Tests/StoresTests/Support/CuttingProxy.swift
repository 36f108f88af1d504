import LibC
import Synchronization
import Testing
import Transport

/// Passes bytes between a Unix socket of its own and another one, and cuts connections or changes answers where a test says.
final class CuttingProxy: Sendable {
    private struct State {
        /// Bytes that still pass in each direction; nil for any number. After a cut: any number.
        var there: Int?
        var back: Int?
        var passedThere = 0
        var passedBack = 0
        var cuts = 0
        /// The byte of the way back that is replaced, counted from the next one.
        var garbled: (offset: Int, byte: UInt8)?
    }

    let path: String
    private let target: String
    private let listener: Int32
    private let folder: Mutex<TemporaryFolder?>
    private let state = Mutex(State())

    init(to target: String) throws {
        let folder = try TemporaryFolder()
        path = folder.file("proxy")
        self.folder = Mutex(folder)
        self.target = target
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(path)
        let (number, size) = (listener, socklen_t(MemoryLayout<sockaddr_un>.size))
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, size) }
        }
        try #require(result == 0 && listen(listener, 100) == 0)
        try Thread.start("proxy") { [self] in accept() }
    }

    private static func address(_ path: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return address
    }

    var cuts: Int { state.withLock { $0.cuts } }

    /// The bytes that pass in each direction while `body` runs.
    func bytes(_ body: () throws -> Void) throws -> (there: Int, back: Int) {
        let before = state.withLock { ($0.passedThere, $0.passedBack) }
        try body()
        return state.withLock { ($0.passedThere - before.0, $0.passedBack - before.1) }
    }

    /// Cuts the connection once so many more bytes have passed in a direction; never without a number.
    func cut(afterThere there: Int? = nil, afterBack back: Int? = nil) {
        state.withLock { ($0.there, $0.back) = (there, back) }
    }

    /// Replaces a byte of the way back, counted from the next one.
    func garble(_ offset: Int, with byte: UInt8) {
        state.withLock { $0.garbled = (offset, byte) }
    }

    private func garble(_ bytes: inout [UInt8], _ count: Int) {
        state.withLock { state in
            guard let (offset, byte) = state.garbled else { return }
            state.garbled = offset < count ? nil : (offset - count, byte)
            if offset < count { bytes[offset] = byte }
        }
    }

    private func accept() {
        while true {
            let client = LibC.accept(listener, nil, nil)
            if client < 0 { return }
            let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = Self.address(target)
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(server, $0, size) }
            }
            if result == 0 { pass(client, server) }
            close(client)
            close(server)
        }
    }

    /// One connection at a time, until it ends or is cut.
    private func pass(_ client: Int32, _ server: Int32) {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var entries = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&entries, 2, -1) > 0 else { return }
            for (from, to, isThere) in [(client, server, true), (server, client, false)] {
                guard entries[isThere ? 0 : 1].revents != 0 else { continue }
                let count = recv(from, &bytes, bytes.count, 0)
                guard count > 0 else { return }
                if !isThere { garble(&bytes, count) }
                let (passing, isCut) = allow(count, isThere)
                _ = send(to, bytes, passing, Int32(MSG_NOSIGNAL))
                if isCut { return }
            }
        }
    }

    private func allow(_ count: Int, _ isThere: Bool) -> (passing: Int, isCut: Bool) {
        state.withLock { state in
            let room = isThere ? state.there : state.back
            let passing = min(count, room ?? count)
            let isCut = passing == room
            if isThere {
                state.there = room.map { $0 - passing }
                state.passedThere += passing
            } else {
                state.back = room.map { $0 - passing }
                state.passedBack += passing
            }
            if isCut {
                state.cuts += 1
                (state.there, state.back) = (nil, nil)
            }
            return (passing, isCut)
        }
    }
}
