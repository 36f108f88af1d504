import Synchronization
import Testing
import Transport

/// How the two ends of a link are connected.
enum LinkKind: CaseIterable, Sendable {
    /// In memory, all on one loop.
    case memory
    /// The same, in pieces that are no frames.
    case memoryInPieces
    /// Over TCP: each end on a loop, its channels on the other's.
    case sockets
}

/// The two ends of a link, whose far side takes each channel.
struct LinkPair: Sendable {
    let near: Link
    let far: Link
    /// The stream below the near end.
    let nearStream: LoopBound<any ByteStream>
    /// Of the channels' streams.
    let nearLoop: EventLoop
    let farLoop: EventLoop
    fileprivate let arrivals: Arrivals

    /// Opens a channel. Its two recorders are on `nearLoop` and `farLoop`.
    ///
    /// - Parameter name: not that of another channel.
    func open(_ name: String = "a", isStarted: Bool = true) async throws -> Ends {
        let near = try await nearLoop.run { [link = near] in
            let stream = link.openChannel(payload: Array(name.utf8), on: nearLoop, peer: "near \(name)")
            return LoopBound(Recorder(stream), loop: nearLoop)
        }
        let far = try await farLoop.wait(for: "the channel \(name)") { arrivals.when(name, $0) }
        if isStarted {
            try await nearLoop.run { near.value.stream.start() }
            try await farLoop.run { far.value.stream.start() }
        }
        return Ends(near: End(recorder: near, loop: nearLoop), far: End(recorder: far, loop: farLoop))
    }

    /// Both ends of a channel.
    struct Ends: Sendable {
        let near: End
        let far: End
    }

    /// One end of a channel.
    struct End: Sendable {
        let recorder: LoopBound<Recorder>
        let loop: EventLoop

        func run<Value: Sendable>(_ body: @escaping @Sendable (Recorder) throws -> Value) async throws -> Value {
            try await loop.run { try body(recorder.value) }
        }

        func until(_ what: String, _ condition: @escaping @Sendable (Recorder) -> Bool) async throws {
            try await recorder.until(what, on: loop, condition)
        }

        func send(_ messages: [[UInt8]]) async throws {
            try await run { recorder in
                for message in messages { recorder.stream.write { $0.append(contentsOf: message) } }
            }
        }
    }
}

/// The channels that have come to the far side, by their payload.
private final class Arrivals: Sendable {
    private struct State {
        var arrived: [String: LoopBound<Recorder>] = [:]
        var awaited: [String: @Sendable (LoopBound<Recorder>) -> Void] = [:]
    }

    private let state = Mutex(State())

    func add(_ name: String, _ recorder: LoopBound<Recorder>) {
        let awaiting = state.withLock { state in
            state.arrived[name] = recorder
            return state.awaited.removeValue(forKey: name)
        }
        awaiting?(recorder)
    }

    func when(_ name: String, _ body: @escaping @Sendable (LoopBound<Recorder>) -> Void) {
        let arrived = state.withLock { state in
            if state.arrived[name] == nil { state.awaited[name] = body }
            return state.arrived[name]
        }
        if let arrived { body(arrived) }
    }

    func accept(_ payload: [UInt8], on loop: EventLoop, _ makeStream: Link.MakeStream) {
        let name = String(decoding: payload, as: UTF8.self)
        let stream = LoopBound(makeStream(loop, "far \(name)"), loop: loop)
        loop.execute { [self] in add(name, LoopBound(Recorder(stream.value), loop: loop)) }
    }
}

extension Link.Settings {
    /// For tests in real time, on a machine of any speed.
    static var patient: Link.Settings {
        var settings = Link.Settings()
        (settings.silenceLimit, settings.helloTime, settings.closeTime) = (deadline, deadline, deadline)
        return settings
    }
}

/// Runs `body` with a link, then ends its loops.
func withLink(
    _ kind: LinkKind, settings: Link.Settings = .patient, _ body: (LinkPair) async throws -> Void
) async throws {
    try await withLoop(.epoll) { loop in
        switch kind {
        case .memory: try await body(makePair(on: loop, pieceBytes: .max, settings))
        case .memoryInPieces: try await body(makePair(on: loop, pieceBytes: 997, settings))
        case .sockets:
            try await withLoop(.epoll) { other in
                try await body(connectPair(on: loop, other, settings))
            }
        }
    }
}

private func makePair(on loop: EventLoop, pieceBytes: Int, _ settings: Link.Settings) async throws -> LinkPair {
    try await loop.run {
        let arrivals = Arrivals()
        let (near, far) = MemoryStream.pair(loop: loop, pieceBytes: pieceBytes)
        return LinkPair(
            near: Link(connecting: near, token: [1, 2, 3], settings: settings),
            far: Link(accepting: far, token: [1, 2, 3], settings: settings) { arrivals.accept($0, on: loop, $1) },
            nearStream: LoopBound(near, loop: loop), nearLoop: loop, farLoop: loop, arrivals: arrivals)
    }
}

private func connectPair(
    on nearLoop: EventLoop, _ farLoop: EventLoop, _ settings: Link.Settings
) async throws -> LinkPair {
    let arrivals = Arrivals()
    let (accepted, acceptedContinuation) = AsyncStream.makeStream(of: Link.self)
    let port = try await nearLoop.run {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0, on: nearLoop, handingTo: [farLoop]) { stream in
            let link = Link(accepting: stream, token: [1, 2, 3], settings: settings) {
                arrivals.accept($0, on: nearLoop, $1)
            }
            acceptedContinuation.yield(link)
        }
        return listener.port ?? 0
    }
    let (near, stream): (Link, LoopBound<any ByteStream>) = try await nearLoop.wait(for: "the connection") { keep in
        Socket.connect(host: "127.0.0.1", port: port, on: nearLoop) { result in
            guard let stream = try? result.get() else { return }
            keep((Link(connecting: stream, token: [1, 2, 3], settings: settings), LoopBound(stream, loop: nearLoop)))
        }
    }
    var links = accepted.makeAsyncIterator()
    let far = try #require(await links.next())
    return LinkPair(
        near: near, far: far, nearStream: stream, nearLoop: farLoop, farLoop: nearLoop, arrivals: arrivals)
}
