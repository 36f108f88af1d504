import LibC
import Testing
import Transport

/// Ways to connect two streams.
enum StreamKind: String, CaseIterable, Sendable {
    case tcp, unix, socketpair, pipes, memory, memoryInPieces, channel

    /// Hands over in its own time, also on one machine.
    var takesTime: Bool { self == .tcp || self == .channel }

    /// Two recorders on connected streams, not started.
    func open(on loop: EventLoop) async throws -> (LoopBound<Recorder>, LoopBound<Recorder>) {
        let streams = try await openStreams(on: loop)
        return try await loop.run {
            let (first, second) = streams.value
            return (LoopBound(Recorder(first), loop: loop), LoopBound(Recorder(second), loop: loop))
        }
    }

    private func openStreams(on loop: EventLoop) async throws -> LoopBound<(any ByteStream, any ByteStream)> {
        switch self {
        case .tcp, .unix:
            return try await openSockets(on: loop)
        case .socketpair:
            return try await loop.run {
                let (first, second) = try makeSocketPair()
                let streams = (
                    DescriptorStream(Descriptor(owning: first), peer: "pair", loop: loop) as any ByteStream,
                    DescriptorStream(Descriptor(owning: second), peer: "pair", loop: loop) as any ByteStream
                )
                return LoopBound(streams, loop: loop)
            }
        case .pipes:
            return try await loop.run {
                let (there, back) = (try makePipe(), try makePipe())
                let first = try Stdio.stream(
                    input: Descriptor(owning: back.reading), output: Descriptor(owning: there.writing), on: loop)
                let second = try Stdio.stream(
                    input: Descriptor(owning: there.reading), output: Descriptor(owning: back.writing), on: loop)
                return LoopBound((first, second), loop: loop)
            }
        case .memory, .memoryInPieces:
            return try await loop.run {
                let pieceBytes = self == .memory ? Int.max : 3
                let (first, second) = MemoryStream.pair(loop: loop, pieceBytes: pieceBytes)
                return LoopBound((first, second), loop: loop)
            }
        case .channel:
            return try await loop.wait(for: "a channel") { keep in
                let (near, far) = MemoryStream.pair(loop: loop)
                let link = Link(connecting: near, token: [1])
                let first = link.openChannel(payload: [], on: loop, peer: "near")
                _ = Link(accepting: far, token: [1]) { _, makeStream in
                    let ends: (any ByteStream, any ByteStream) = (first, makeStream(loop, "far"))
                    keep(LoopBound(ends, loop: loop))
                }
            }
        }
    }

    private func openSockets(on loop: EventLoop) async throws -> LoopBound<(any ByteStream, any ByteStream)> {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let path = directory.path + "/socket"
        return try await loop.wait(for: "a connection") { keep in
            let meeting = LoopBound(Meeting(), loop: loop)
            let accept: @Sendable (DescriptorStream) -> Void = { stream in
                meeting.value.accepted = stream
                meeting.value.check { keep(LoopBound($0, loop: loop)) }
            }
            let connected: (Result<DescriptorStream, SystemError>) -> Void = { result in
                meeting.value.connected = try? result.get()
                meeting.value.check { keep(LoopBound($0, loop: loop)) }
            }
            if self == .tcp {
                let listener = try Listener.tcp(host: "127.0.0.1", port: 0, on: loop, accept: accept)
                meeting.value.listener = listener
                Socket.connect(host: "127.0.0.1", port: listener.port ?? 0, on: loop, completion: connected)
            } else {
                meeting.value.listener = try Listener.unix(path: path, on: loop, accept: accept)
                Socket.connect(path: path, on: loop, completion: connected)
            }
        }
    }
}

/// Both ends of a connection, as they come.
private final class Meeting {
    var listener: Listener?
    var accepted: DescriptorStream?
    var connected: DescriptorStream?

    func check(_ keep: ((any ByteStream, any ByteStream)) -> Void) {
        guard let accepted, let connected else { return }
        listener?.close()
        (self.accepted, self.connected, listener) = (nil, nil, nil)
        keep((accepted, connected))
    }
}

func makeSocketPair() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
}

func makePipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}

struct TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/transport-tests-XXXXXX".utf8CString)
        path = try #require(mkdtemp(&template).map { String(cString: $0) })
    }

    /// Fails the test when something is left in it.
    func remove() {
        #expect(rmdir(path) == 0, "\(path) isn't empty")
    }
}

/// Many equal bytes, fast in debug builds too.
func bulk(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        if let start = buffer.baseAddress { memset(start, 65, count) }
        initialized = count
    }
}

/// Many bytes in which a piece that is lost, doubled or moved shows.
func pattern(_ count: Int) -> [UInt8] {
    let period = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + period.count)
    while bytes.count < count { bytes.append(contentsOf: period) }
    bytes.removeLast(bytes.count - count)
    return bytes
}
