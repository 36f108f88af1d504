import TestSupport
import Transport

/// A connection to a server, of a client or of another server, through a made-up network: its bytes come late, in pieces,
/// and not all. Those of a server that is paused wait in both directions.
///
/// Confined to the loop.
final class SharedWire {
    /// The client's end.
    let near: MemoryStream
    /// The server's end.
    let far: MemoryStream
    fileprivate let world: SharedWorld
    fileprivate var generator: SeededGenerator
    private var ways: [Way] = []
    fileprivate(set) var isOver = false
    private let ends: [MemoryStream]

    /// - Parameters:
    ///   - from: nil for a client.
    ///   - mayBreak: it may be this wire's fate to be cut after so many bytes.
    ///   - tap: called with what leaves the server, at that moment.
    init(
        _ world: SharedWorld, from: SharedPlace?, to: SharedPlace, mayBreak: Bool,
        tap: @escaping ([UInt8]) -> Void = { _ in }
    ) {
        self.world = world
        generator = SeededGenerator(seed: Int(truncatingIfNeeded: world.generator.next()))
        let (nearOuter, nearInner) = MemoryStream.pair(loop: world.loop)
        let (farOuter, farInner) = MemoryStream.pair(loop: world.loop)
        (near, far) = (nearOuter, farOuter)
        ends = [nearInner, farInner]
        let there = Way(self, farInner, from, to) { _ in }
        let back = Way(self, nearInner, to, from, tap: tap)
        if mayBreak, generator.chance(25) { there.bytesLeft = Int.random(in: 1...2_500, using: &generator) }
        if mayBreak, generator.chance(25) { back.bytesLeft = Int.random(in: 1...4_000, using: &generator) }
        ways = [there, back]
        for (stream, way) in zip(ends, ways) {
            stream.handler = way
            stream.start()
        }
        from?.wires.append(self)
        to.wires.append(self)
    }

    /// A server goes on.
    func resume() {
        for way in ways { way.resume() }
    }

    func cut() {
        guard end() else { return }
        for stream in ends { stream.close() }
    }

    /// One side has closed it, and the other one knows.
    fileprivate func finish() {
        guard end() else { return }
        for stream in ends { stream.finish() }
    }

    private func end() -> Bool {
        guard !isOver else { return false }
        isOver = true
        ways = []
        world.forget(self)
        return true
    }
}

/// One direction of a wire.
private final class Way: ByteStreamHandler {
    private enum Item {
        case bytes([UInt8])
        case end
    }

    private let wire: SharedWire
    private let target: MemoryStream
    private let source: SharedPlace?
    private let destination: SharedPlace?
    private let tap: ([UInt8]) -> Void
    private var lastTime = Duration.zero
    /// What a paused server has written.
    private var stuck: [Item] = []
    /// On the way, the first first.
    private var travelling: [Item] = []
    /// How many of them are there, at a server that is paused.
    private var waiting = 0
    private var hasEnded = false
    /// It is cut behind so many bytes more.
    var bytesLeft: Int?

    init(
        _ wire: SharedWire, _ target: MemoryStream, _ source: SharedPlace?,
        _ destination: SharedPlace?, tap: @escaping ([UInt8]) -> Void
    ) {
        (self.wire, self.target, self.source, self.destination, self.tap) = (wire, target, source, destination, tap)
    }

    private func send(_ item: Item) {
        guard !wire.isOver else { return }
        wire.world.didMove()
        if source?.isPaused ?? false { stuck.append(item) } else { depart(item) }
    }

    private func depart(_ item: Item) {
        guard case .bytes(let bytes) = item else { return travel(item) }
        tap(bytes)
        guard bytes.count > 1, wire.generator.chance(15) else { return travel(item) }
        let place = Int.random(in: 1..<bytes.count, using: &wire.generator)
        travel(.bytes(Array(bytes[..<place])))
        travel(.bytes(Array(bytes[place...])))
    }

    private func travel(_ item: Item) {
        let now = wire.world.now
        let most = wire.generator.chance(5) ? 200 : 8
        lastTime = max(lastTime, now + .milliseconds(Int.random(in: 0...most, using: &wire.generator)))
        travelling.append(item)
        wire.world.after(lastTime - now) { [self] in
            if destination?.isPaused ?? false { waiting += 1 } else { arrive() }
        }
    }

    private func arrive() {
        guard !wire.isOver, !travelling.isEmpty else { return }
        wire.world.didMove()
        guard case .bytes(let bytes) = travelling.removeFirst() else { return wire.finish() }
        let count = min(bytes.count, bytesLeft ?? .max)
        target.write { $0.append(contentsOf: bytes.prefix(count)) }
        guard let left = bytesLeft else { return }
        bytesLeft = left - count
        guard left == count else { return }
        wire.world.count { $0.cuts += 1 }
        // A turn later, so that the other end has what came before.
        wire.world.after(.milliseconds(1)) { [wire] in wire.cut() }
    }

    func resume() {
        let items = stuck
        stuck = []
        for item in items where !wire.isOver { depart(item) }
        let count = waiting
        waiting = 0
        for _ in 0..<count { arrive() }
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        send(.end)
    }

    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        send(.bytes(Array(bytes)))
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        end()
    }

    func streamDidSend(_ stream: any ByteStream) {}

    func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool { true }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        end()
    }
}
