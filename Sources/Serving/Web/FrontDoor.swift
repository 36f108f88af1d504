import Sessions
import Synchronization
package import Transport

/// Owns each stream of a TCP port until its first byte, which tells whether the stream carries JSON-RPC, HTTP or a link of
/// another server.
///
/// A request for a page makes no `Connection` in this way. Any thread may call it.
package final class FrontDoor: Sendable {
    private let core: ServerCore
    private let site: Site
    /// The streams from which no byte has come yet.
    private let arrivals = Mutex<[ObjectIdentifier: (loop: EventLoop, arrival: LoopBound<Arrival>)]>([:])

    /// - Parameters:
    ///   - core: serves JSON-RPC.
    ///   - site: serves HTTP.
    package init(core: ServerCore, site: Site) {
        self.core = core
        self.site = site
    }

    /// Takes over a stream until its first byte. Called on the stream's loop.
    package func accept(_ stream: any ByteStream) {
        let arrival = Arrival(stream, at: self)
        let bound = LoopBound(arrival, loop: stream.loop)
        arrivals.withLock { [loop = stream.loop] in $0[ObjectIdentifier(arrival)] = (loop, bound) }
        // The stream retains the arrival until the first byte.
        stream.handler = arrival
        stream.start()
        arrival.wait(core.limits)
    }

    /// Reads what has arrived on streams without a byte so far, and closes those that still have none.
    package func drain() async {
        let waiting = arrivals.withLock { Array($0.values) }
        let latch = Latch(count: waiting.count)
        for (loop, arrival) in waiting {
            loop.execute {
                arrival.value.drain()
                latch.countDown()
            }
        }
        await latch.wait()
    }

    /// A stream before its first byte. Confined to the stream's loop.
    private final class Arrival: ByteStreamHandler {
        private let stream: any ByteStream
        private let door: FrontDoor
        private var timer: LoopTimer?
        private var blankBytes = 0

        init(_ stream: any ByteStream, at door: FrontDoor) {
            self.stream = stream
            self.door = door
        }

        /// Closes the stream unless its first byte comes in time.
        func wait(_ limits: Limits) {
            let bound = LoopBound(self, loop: stream.loop)
            timer = stream.loop.schedule(after: limits.initializeTime) {
                bound.value.refuse("sent nothing within \(limits.initializeTime)", "initializeTime")
            }
        }

        private func refuse(_ reason: String, _ limit: String) {
            guard stream.handler === self else { return }
            door.core.didRefuse(stream.peerDescription, limit, reason)
            stream.close()
        }

        func drain() {
            stream.readAvailable()
            if stream.handler === self { stream.finish() }
        }

        func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
            let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
            // White space before the first message is skipped, in HTTP as in both framings.
            guard let first = bytes.firstIndex(where: { !isBlank($0) }) else {
                blankBytes += bytes.count
                guard blankBytes > door.core.limits.headerBytes else { return }
                return refuse("sent more than \(door.core.limits.headerBytes) bytes of white space", "headerBytes")
            }
            door.remove(self)
            timer?.cancel()
            if Self.beginsHTTP(bytes[first]) {
                door.site.serve(stream)
            } else if bytes[first] == 0, let links = door.core.links {
                links.accept(stream, door.core)
            } else {
                door.core.serve(stream)
            }
            stream.handler?.stream(stream, didRead: UnsafeRawBufferPointer(rebasing: bytes[first...]))
        }

        /// Returns whether a first byte begins HTTP: an upper-case letter other than C, which begins `Content-Length`. So
        /// CONNECT isn't taken for HTTP.
        private static func beginsHTTP(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte != UInt8(ascii: "C")
        }

        func streamDidReachEnd(_ stream: any ByteStream) {
            stream.finish()
        }

        func streamDidSend(_ stream: any ByteStream) {}

        func stream(_ stream: any ByteStream, didClose error: SystemError?) {
            door.remove(self)
            timer?.cancel()
        }
    }

    private func remove(_ arrival: Arrival) {
        _ = arrivals.withLock { $0.removeValue(forKey: ObjectIdentifier(arrival)) }
    }
}
