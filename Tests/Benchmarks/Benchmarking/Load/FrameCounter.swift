/// Counts the messages in a stream of frames without reading them: it looks at the length in each header, and at the
/// one byte of each body that tells an answer (`{"jsonrpc":"2.0","id"…`) from a notification (`…"method"…`).
package struct FrameCounter {
    /// Bytes that no server under test sends.
    package struct Malformed: Error, CustomStringConvertible {
        package let description: String
    }

    /// How many bytes in front of what was read must be there to be written to: the end of the bytes before goes there,
    /// when it is the beginning of a header.
    package static let headroom = 64

    package private(set) var answers = 0
    package private(set) var notifications = 0
    /// Bytes of the current body that haven't come.
    private var rest = 0
    private var isAnswer = false
    private var kept: [UInt8] = []

    private let framing: LoadFraming

    package init(_ framing: LoadFraming = .headers) {
        self.framing = framing
    }

    /// Whether all bytes so far are whole messages.
    package var isBetweenMessages: Bool { rest == 0 && kept.isEmpty }

    /// Takes `count` bytes at `address`, in front of which there is `headroom`.
    package mutating func take(_ address: UnsafeMutableRawPointer, count: Int) throws(Malformed) {
        var start = address
        if !kept.isEmpty {
            start -= kept.count
            UnsafeMutableRawBufferPointer(start: start, count: kept.count).copyBytes(from: kept)
            kept = []
        }
        let bytes = UnsafeRawBufferPointer(start: start, count: address + count - start)
        var offset = min(rest, bytes.count)
        skip(offset)
        while offset < bytes.count {
            let hasBegun =
                switch framing {
                case .headers: try beginMessage(bytes, at: &offset)
                case .webSocket: try beginFrame(bytes, at: &offset)
                }
            guard hasBegun else {
                kept = Array(bytes[offset...])
                return
            }
            let count = min(rest, bytes.count &- offset)
            offset &+= count
            skip(count)
        }
    }

    @inline(__always)
    private mutating func skip(_ count: Int) {
        guard rest > 0 else { return }
        rest &-= count
        guard rest == 0 else { return }
        if isAnswer { answers &+= 1 } else { notifications &+= 1 }
    }

    /// Takes a header and looks into the body; false when they aren't all there yet.
    @inline(__always)
    private mutating func beginMessage(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int
    ) throws(Malformed) -> Bool {
        var index = offset &+ Self.nameLength
        var length = 0
        while index < bytes.count, case let digit = bytes[index] &- UInt8(ascii: "0"), digit <= 9 {
            length = length &* 10 &+ Int(digit)
            index &+= 1
        }
        let kind = index &+ 4 &+ Self.kindOffset
        guard kind < bytes.count else {
            guard bytes.count &- offset < Self.headroom else { throw malformed(bytes, offset) }
            return false
        }
        guard bytes[offset] == UInt8(ascii: "C"), bytes[index] == UInt8(ascii: "\r"), length > Self.kindOffset else {
            throw malformed(bytes, offset)
        }
        isAnswer = bytes[kind] == UInt8(ascii: "i")
        rest = length
        offset = index &+ 4
        return true
    }

    /// Does as `beginMessage` does, for a server's WebSocket frame.
    @inline(__always)
    private mutating func beginFrame(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int
    ) throws(Malformed) -> Bool {
        guard bytes.count &- offset > 4 &+ Self.kindOffset else { return false }
        let short = bytes[offset &+ 1]
        guard bytes[offset] == 0x81, short < 127, short > UInt8(Self.kindOffset) else { throw malformed(bytes, offset) }
        let body = offset &+ (short < 126 ? 2 : 4)
        rest = short < 126 ? Int(short) : Int(bytes[offset &+ 2]) << 8 | Int(bytes[offset &+ 3])
        isAnswer = bytes[body &+ Self.kindOffset] == UInt8(ascii: "i")
        offset = body
        return true
    }

    private func malformed(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Malformed {
        let text = String(decoding: bytes[offset..<min(offset + 100, bytes.count)], as: UTF8.self)
        return Malformed(description: "no frame begins with \(String(reflecting: text))")
    }

    private static let nameLength = "Content-Length: ".utf8.count
    private static let kindOffset = #"{"jsonrpc":"2.0",""#.utf8.count
}

/// Memory that all connections are read into, one after another, with the room in front that `FrameCounter` wants.
package final class ReadBuffer {
    package static let size = 1 << 20
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: FrameCounter.headroom + size, alignment: 64)

    package init() {}

    deinit {
        memory.deallocate()
    }

    package var address: UnsafeMutableRawPointer { memory + FrameCounter.headroom }
}

/// The framing of a load's messages.
package enum LoadFraming: Sendable {
    /// `Content-Length: N`, an empty line, N bytes.
    case headers
    /// Frames of a WebSocket, after its handshake.
    case webSocket

    /// A client's message.
    func frame(_ body: String) -> [UInt8] {
        let text = Array(body.utf8)
        switch self {
        case .headers: return Array("Content-Length: \(text.count)\r\n\r\n".utf8) + text
        case .webSocket:
            // Masked with zeros: the same work for the server, and none for the driver.
            let length =
                text.count < 126 ? [UInt8(text.count)] : [126, UInt8(text.count >> 8 & 0xFF), UInt8(text.count & 0xFF)]
            return [0x81, length[0] | 0x80] + length.dropFirst() + [0, 0, 0, 0] + text
        }
    }

    /// Takes a server's first whole message out of `bytes`; nil when it isn't all there.
    func takeMessage(from bytes: inout [UInt8]) throws -> [UInt8]? {
        let body: Range<Int>
        switch self {
        case .headers:
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")).map({ $0 + 3 }), end <= bytes.count else {
                return nil
            }
            let digits = bytes[..<end].filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard let length = Int(String(decoding: digits, as: UTF8.self)) else {
                throw Dialogue.Broken("a header has no length")
            }
            body = end..<(end + length)
        case .webSocket:
            guard bytes.count >= 4 else { return nil }
            guard bytes[0] == 0x81, bytes[1] < 127 else { throw Dialogue.Broken("a frame begins with \(bytes[..<2])") }
            let isShort = bytes[1] < 126
            let length = isShort ? Int(bytes[1]) : Int(bytes[2]) << 8 | Int(bytes[3])
            body = isShort ? 2..<(2 + length) : 4..<(4 + length)
        }
        guard bytes.count >= body.upperBound else { return nil }
        defer { bytes.removeFirst(body.upperBound) }
        return Array(bytes[body])
    }
}
