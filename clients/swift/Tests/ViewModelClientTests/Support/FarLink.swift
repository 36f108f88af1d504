import Synchronization
import TestSupport
import Transport
import ViewModelClient

/// A way to a server in memory on which each message takes a while, in either direction, by a clock that the test moves.
///
/// The test takes the messages that have arrived one by one, and so sees what each of them changes.
final class FarLink: Sendable {
    private struct Message: Sendable {
        let due: ManualClock.Instant
        let isForServer: Bool
        let line: [UInt8]
    }

    private struct State {
        var delay: Duration?
        var ends: LoopBound<(client: any ByteStream, server: any ByteStream)>?
        /// In the order in which they were sent.
        var onTheWay: [Message] = []
        var received: [String] = []
    }

    /// Enough for a message to go through all streams to the other end, and for what it sets off to come back to here.
    private static let turnsToSettle = 60

    private let server: MemoryServer
    private let state = Mutex(State())

    init(to server: MemoryServer) {
        self.server = server
    }

    var target: ClientTarget {
        .streams("far") { [self] loop in
            guard case .streams(_, let connect) = server.target else { throw MemoryServer.NobodyThere() }
            let far = try connect(loop)
            let (clientSide, near) = MemoryStream.pair(loop: loop)
            state.withLock { $0.ends = LoopBound((near, far), loop: loop) }
            near.handler = Side(self, other: far, isForServer: true)
            far.handler = Side(self, other: near, isForServer: false)
            near.start()
            far.start()
            return clientSide
        }
    }

    /// From now on each message takes so long; with nil, as at first, it goes through at once.
    func delay(_ delay: Duration?) {
        state.withLock { $0.delay = delay }
    }

    /// The messages that the client has sent since there is a delay.
    var received: [String] { state.withLock { $0.received } }

    /// Moves the clock to a time, and stops at each one at which a message arrives or the server wakes.
    ///
    /// - Parameter body: called after each message to the client, when nothing goes on any more.
    func pass(until end: ManualClock.Instant, _ body: () -> Void) async {
        await settle()
        while let next = [state.withLock { $0.onTheWay.first?.due }, server.clock.nextWake].compactMap({ $0 }).min(),
            next <= end
        {
            server.clock.advance(to: next)
            await settle()
            while let message = takeDue(next) {
                await handOver(message)
                if !message.isForServer { body() }
            }
        }
        server.clock.advance(to: end)
    }

    /// Lets all that was set off get as far as it can: the client, the server and its view models run on the loop.
    private func settle() async {
        await withCheckedContinuation { continuation in
            server.loop.execute { [self] in afterTurns(Self.turnsToSettle) { continuation.resume() } }
        }
    }

    private func afterTurns(_ count: Int, _ body: @escaping () -> Void) {
        server.loop.atEndOfTurn { [self] in if count == 0 { body() } else { afterTurns(count - 1, body) } }
    }

    private func takeDue(_ now: ManualClock.Instant) -> Message? {
        state.withLock { state in
            guard let first = state.onTheWay.first, first.due <= now else { return nil }
            return state.onTheWay.removeFirst()
        }
    }

    private func handOver(_ message: Message) async {
        let ends = state.withLock { $0.ends }
        server.loop.execute {
            let end = message.isForServer ? ends?.value.server : ends?.value.client
            end?.write { $0.append(contentsOf: message.line) }
        }
        await settle()
    }

    /// Returns false for one that goes through at once.
    private func take(_ line: [UInt8], isForServer: Bool) -> Bool {
        state.withLock { state in
            guard let delay = state.delay else { return false }
            if isForServer { state.received.append(String(decoding: line, as: UTF8.self)) }
            let due = server.clock.now.advanced(by: delay)
            state.onTheWay.append(Message(due: due, isForServer: isForServer, line: line))
            return true
        }
    }

    private final class Side: ByteStreamHandler {
        private let link: FarLink
        private let other: any ByteStream
        private let isForServer: Bool
        private var bytes: [UInt8] = []

        init(_ link: FarLink, other: any ByteStream, isForServer: Bool) {
            (self.link, self.other, self.isForServer) = (link, other, isForServer)
        }

        func stream(_ stream: any ByteStream, didRead received: UnsafeRawBufferPointer) {
            bytes.append(contentsOf: received)
            while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(bytes[...end])
                bytes.removeFirst(line.count)
                if !link.take(line, isForServer: isForServer) { other.write { $0.append(contentsOf: line) } }
            }
        }

        func streamDidReachEnd(_ stream: any ByteStream) {
            other.finish()
            stream.finish()
        }

        func streamDidSend(_ stream: any ByteStream) {}

        func stream(_ stream: any ByteStream, didClose error: SystemError?) {
            other.finish()
        }
    }
}
