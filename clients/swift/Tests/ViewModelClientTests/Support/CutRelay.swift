import Synchronization
import TestSupport
import Transport

/// Two streams with a relay between them, which breaks after some bytes in either direction, in the middle of a message
/// as a rule, or when it is told to.
final class CutRelay {
    struct Budget: Sendable {
        var toServer = Int.max
        var toClient = Int.max
    }

    let clientSide: MemoryStream
    let serverSide: MemoryStream
    private let nearClient: MemoryStream
    private let nearServer: MemoryStream

    init(on loop: EventLoop, budget: Budget) {
        (clientSide, nearClient) = MemoryStream.pair(loop: loop)
        (serverSide, nearServer) = MemoryStream.pair(loop: loop)
        nearClient.handler = Side(other: nearServer, bytes: budget.toServer)
        nearServer.handler = Side(other: nearClient, bytes: budget.toClient)
        nearClient.start()
        nearServer.start()
    }

    func cut() {
        nearClient.close()
        nearServer.close()
    }

    private final class Side: ByteStreamHandler {
        private let other: MemoryStream
        private var bytes: Int

        init(other: MemoryStream, bytes: Int) {
            self.other = other
            self.bytes = bytes
        }

        func stream(_ stream: any ByteStream, didRead received: UnsafeRawBufferPointer) {
            let part = received.prefix(bytes)
            bytes -= part.count
            other.write { $0.append(contentsOf: part) }
            guard part.count < received.count else { return }
            // Bytes that were let through still arrive on the other side; on this one nothing more does.
            other.finish()
            stream.close()
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

/// Lengths of connections, the same for the same seed.
final class BudgetGenerator: Sendable {
    private let generator: Locked<SeededGenerator>
    private let longest: Int

    /// - Parameter longest: in bytes, in each direction; more than the longest message takes, which would never arrive.
    init(seed: Int, longest: Int) {
        generator = Locked(SeededGenerator(seed: seed))
        self.longest = longest
    }

    func budget() -> CutRelay.Budget {
        generator.with { [longest] generator in
            CutRelay.Budget(
                toServer: Int.random(in: 0...longest, using: &generator),
                toClient: Int.random(in: 0...longest, using: &generator))
        }
    }
}

/// A value that one at a time has.
final class Locked<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    func with<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result {
        value.withLock { body(&$0) }
    }
}
