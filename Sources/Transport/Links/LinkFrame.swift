/// A frame: the unit in which the two ends of a link send each other messages and signals.
///
/// On the wire: the length of the rest (four bytes, big-endian), the kind (one byte), the channel (four bytes, big-endian; 0
/// where the frame is about the link itself), then the kind's own values.
package enum LinkFrame: Equatable {
    /// The near side's first frame: a version and a token.
    case hello(version: UInt8, token: [UInt8])
    /// The far side's first frame, sent where the token was right.
    case welcome
    /// Opens a channel; sent by the near side only. Its number is greater than those of all earlier channels.
    case open(channel: UInt32, payload: [UInt8])
    /// A message, or a part of one, the last part where `isLast`.
    case data(channel: UInt32, isLast: Bool, bytes: [UInt8])
    /// Credit: the number of bytes more, by `cost`, that may be sent on the channel.
    case credit(channel: UInt32, UInt32)
    /// The sender sends no more data.
    case end(channel: UInt32)
    /// The channel is closed: nothing comes any more in either direction.
    case close(channel: UInt32, LinkCloseCode)
    case ping
    case pong

    package static let version: UInt8 = 1
    /// The most bytes of a message, or for an acceptor, that one frame carries. So a long message leaves gaps for other
    /// channels.
    package static let maximumBytes = 64 * 1024
    /// The greatest length that a frame may state.
    package static let maximumLength = 70_000
    /// The size of the length, which begins a frame, in bytes.
    static let lengthBytes = 4
    /// The size of the kind and the channel in bytes.
    static let headerBytes = 5

    enum Kind: UInt8, CaseIterable {
        case hello = 1
        case welcome, open, data, credit, end, close, ping, pong
    }

    /// Returns the greatest length that a greeting with such a token may state, with some room for other versions and tokens.
    static func greetingLength(_ token: [UInt8]) -> Int { max(256, headerBytes + 1 + token.count) }

    /// Returns how much of the window a part of a message takes: one more than its bytes, so that empty messages are bounded,
    /// too.
    static func cost(of byteCount: Int) -> Int { byteCount + 1 }
}

/// The reason why a channel was closed.
package enum LinkCloseCode: UInt8, Sendable, CaseIterable {
    /// The channel's user is done with it.
    case normal = 0
    /// The far side didn't accept the channel.
    case refused = 1
    /// The link is about to be closed.
    case goingAway = 2
    /// The channel's user gave up on what it received, such as a message that is too long.
    case failed = 3
}

/// The error of an end that broke the rules; the link is closed.
package struct LinkError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension LinkFrame {
    package func encode(into output: inout [UInt8]) {
        switch self {
        case .hello(let version, let token):
            Self.encode(.hello, 0, [version], token, into: &output)
        case .welcome:
            Self.encode(.welcome, 0, into: &output)
        case .open(let channel, let payload):
            Self.encode(.open, channel, payload, into: &output)
        case .data(let channel, let isLast, let bytes):
            Self.encode(.data, channel, [isLast ? 1 : 0], bytes, into: &output)
        case .credit(let channel, let amount):
            Self.encode(.credit, channel, into: &output, length: 4)
            output.append(bigEndian: amount)
        case .end(let channel):
            Self.encode(.end, channel, into: &output)
        case .close(let channel, let code):
            Self.encode(.close, channel, [code.rawValue], into: &output)
        case .ping:
            Self.encode(.ping, 0, into: &output)
        case .pong:
            Self.encode(.pong, 0, into: &output)
        }
    }

    /// Appends a frame whose own values are `first` and then `second`.
    ///
    /// - Parameter length: the number of bytes that the caller appends after `second`.
    private static func encode(
        _ kind: Kind, _ channel: UInt32, _ first: [UInt8] = [], _ second: [UInt8] = [], into output: inout [UInt8],
        length: Int = 0
    ) {
        output.append(bigEndian: UInt32(clamping: headerBytes + first.count + second.count + length))
        output.append(kind.rawValue)
        output.append(bigEndian: channel)
        output.append(contentsOf: first)
        output.append(contentsOf: second)
    }

    /// Reads a frame from the bytes after its length.
    init(_ bytes: UnsafeRawBufferPointer) throws(LinkError) {
        guard bytes.count >= Self.headerBytes else {
            throw LinkError("a frame of \(bytes.count) bytes, which has no room for its kind and channel")
        }
        guard let kind = Kind(rawValue: bytes[0]) else { throw LinkError("a frame of the unknown kind \(bytes[0])") }
        let channel = bytes.bigEndianNumber(at: 1)
        let payload = UnsafeRawBufferPointer(rebasing: bytes[Self.headerBytes...])
        try kind.check(channel, payload.count)
        switch kind {
        case .hello: self = .hello(version: payload[0], token: Array(payload[1...]))
        case .welcome: self = .welcome
        case .open: self = .open(channel: channel, payload: Array(payload))
        case .data:
            guard payload[0] <= 1 else { throw LinkError("data whose mark of a last part is \(payload[0])") }
            self = .data(channel: channel, isLast: payload[0] == 1, bytes: Array(payload[1...]))
        case .credit: self = .credit(channel: channel, payload.bigEndianNumber(at: 0))
        case .end: self = .end(channel: channel)
        case .close:
            guard let code = LinkCloseCode(rawValue: payload[0]) else {
                throw LinkError("a channel is closed with the unknown code \(payload[0])")
            }
            self = .close(channel: channel, code)
        case .ping: self = .ping
        case .pong: self = .pong
        }
    }
}

extension LinkFrame.Kind {
    /// The allowed lengths of what follows the channel.
    private var lengths: ClosedRange<Int> {
        switch self {
        case .hello, .data: 1...(1 + LinkFrame.maximumBytes)
        case .open: 0...LinkFrame.maximumBytes
        case .credit: 4...4
        case .close: 1...1
        case .welcome, .end, .ping, .pong: 0...0
        }
    }

    private var isOfLink: Bool {
        switch self {
        case .hello, .welcome, .ping, .pong: true
        case .open, .data, .credit, .end, .close: false
        }
    }

    fileprivate func check(_ channel: UInt32, _ length: Int) throws(LinkError) {
        guard lengths.contains(length) else { throw LinkError("a frame \(self) with \(length) bytes") }
        guard isOfLink == (channel == 0) else { throw LinkError("a frame \(self) of the channel \(channel)") }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: UInt32) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the big-endian number in the four bytes from `offset` on, which must be within the buffer.
    func bigEndianNumber(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
