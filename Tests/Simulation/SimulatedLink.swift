import TestSupport
import Transport

/// One connection of a client in memory, with the faults of a network: it hands over its bytes in pieces, late, and not
/// all; it stops reading for a while; it is cut after any byte in either direction.
///
/// Confined to the loop.
final class SimulatedLink: ByteStreamHandler {
    /// What becomes of a link, chosen when it is made.
    struct Fate {
        /// Bytes after which it is cut; nil: never.
        var sentBytes: Int?
        var receivedBytes: Int?
        /// The most bytes that leave in one step.
        var pieceBytes: Int
        /// The client's side takes so many bytes before it must read.
        var capacity: Int
        /// The most bytes that each side reads at a time.
        var readBytes: Int
        /// After a cut the server still reads what was sent.
        var isHalfHeard: Bool
        var usesHeaders: Bool
    }

    private let stream: MemoryStream
    private var fate: Fate
    private var generator: SeededGenerator
    private var outgoing: [UInt8] = []
    private var incoming: [UInt8] = []
    private var stalledSteps = 0
    private(set) var isOver = false
    /// The client sends no more.
    private(set) var isHalfClosed = false
    private let didMove: () -> Void
    private let didReceive: ([UInt8]) -> Void
    private let didEnd: (_ isCut: Bool) -> Void

    /// - Parameters:
    ///   - didMove: called when bytes come, which may be no whole message yet.
    ///   - didReceive: called with the bytes of each message.
    ///   - didEnd: called once; `isCut` where it was this link's fate, and not the server.
    init(
        _ stream: MemoryStream, _ fate: Fate, seed: Int, didMove: @escaping () -> Void,
        didReceive: @escaping ([UInt8]) -> Void, didEnd: @escaping (_ isCut: Bool) -> Void
    ) {
        self.stream = stream
        self.fate = fate
        generator = SeededGenerator(seed: seed)
        self.didMove = didMove
        self.didReceive = didReceive
        self.didEnd = didEnd
        stream.handler = self
        stream.start()
    }

    /// Whether the server has all bytes that were sent, as far as this side knows.
    var hasSentAll: Bool { outgoing.isEmpty && stream.unsentByteCount == 0 }
    var isStalled: Bool { stalledSteps > 0 }

    func send(_ message: String) {
        guard !isOver, !isHalfClosed else { return }
        if fate.usesHeaders { outgoing += Array("Content-Length: \(message.utf8.count)\r\n\r\n".utf8) }
        outgoing += Array(message.utf8)
        if !fate.usesHeaders { outgoing.append(UInt8(ascii: "\n")) }
    }

    func stall(_ steps: Int) {
        stalledSteps = steps
        stream.isReadingPaused = steps > 0
    }

    /// From here on nothing goes wrong.
    func heal() {
        fate.sentBytes = nil
        fate.receivedBytes = nil
        fate.pieceBytes = .max
        if isStalled { stall(0) }
    }

    /// Sends all that there is, and then the end of the input.
    func finishWriting() {
        heal()
        isHalfClosed = true
    }

    func step() {
        guard !isOver else { return }
        if stalledSteps > 0 {
            stalledSteps -= 1
            if stalledSteps == 0 { stream.isReadingPaused = false }
        }
        if !outgoing.isEmpty, fate.pieceBytes == .max || generator.chance(70) {
            write(fate.pieceBytes == .max ? outgoing.count : Int.random(in: 1...fate.pieceBytes, using: &generator))
        }
        if outgoing.isEmpty, isHalfClosed, !isOver { stream.finishWriting() }
    }

    private func write(_ most: Int) {
        let count = min(most, outgoing.count, fate.sentBytes ?? .max)
        let piece = outgoing.prefix(count)
        stream.write { $0.append(contentsOf: piece) }
        outgoing.removeFirst(count)
        if let left = fate.sentBytes {
            fate.sentBytes = left - count
            if left == count { cut() }
        }
    }

    func cut() {
        guard !isOver else { return }
        if fate.isHalfHeard { stream.finish() } else { stream.close() }
        end(isCut: true)
    }

    private func end(isCut: Bool) {
        guard !isOver else { return }
        isOver = true
        outgoing = []
        didEnd(isCut)
    }

    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        guard !isOver else { return }
        didMove()
        let count = min(bytes.count, fate.receivedBytes ?? .max)
        incoming.append(contentsOf: bytes.prefix(count))
        while !isOver, let message = nextMessage() { didReceive(message) }
        if let left = fate.receivedBytes, !isOver {
            fate.receivedBytes = left - count
            if left == count { cut() }
        }
    }

    private func nextMessage() -> [UInt8]? {
        if !fate.usesHeaders {
            guard let end = incoming.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { incoming.removeFirst(end + 1) }
            return Array(incoming[..<end])
        }
        guard let end = incoming.firstIndex(of: UInt8(ascii: "\r")) else { return nil }
        let digits = String(decoding: incoming[..<end], as: UTF8.self).split(separator: " ").last
        guard let length = digits.flatMap({ Int($0) }), incoming.count >= end + 4 + length else { return nil }
        defer { incoming.removeFirst(end + 4 + length) }
        return Array(incoming[(end + 4)..<(end + 4 + length)])
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        stream.finish()
        end(isCut: false)
    }

    func streamDidSend(_ stream: any ByteStream) {}

    func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool { true }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        end(isCut: false)
    }
}
