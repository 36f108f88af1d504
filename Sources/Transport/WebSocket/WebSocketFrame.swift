/// The header of a frame, before its payload (RFC 6455, section 5.2).
struct WebSocketFrameHeader: Equatable {
    /// The longest header in bytes: two bytes, a length of eight, and a mask of four.
    static let maximumBytes = 14
    /// The longest payload of a control frame in bytes.
    static let maximumControlBytes = 125

    var isFinal: Bool
    var opcode: WebSocketOpcode
    var length: Int
    /// The mask, whose first byte is in the lowest bits.
    var mask: UInt32
    /// The length of the header itself in bytes.
    var byteCount: Int

    /// Reads the header of a client's frame; nil when there are too few bytes.
    ///
    /// - Throws: when a client may not send such a frame.
    init?(clientFrame bytes: UnsafeRawBufferPointer) throws(WebSocketError) {
        guard bytes.count >= 2 else { return nil }
        guard bytes[0] & 0x70 == 0 else {
            throw WebSocketError(.protocolError, "a reserved bit is set, and no extension was agreed on")
        }
        guard let opcode = WebSocketOpcode(rawValue: bytes[0] & 0xF) else {
            throw WebSocketError(.protocolError, "the opcode \(bytes[0] & 0xF) is reserved")
        }
        guard bytes[1] & 0x80 != 0 else { throw WebSocketError(.protocolError, "a client's frames must be masked") }
        isFinal = bytes[0] & 0x80 != 0
        self.opcode = opcode
        let short = Int(bytes[1] & 0x7F)
        if opcode.isControl {
            guard isFinal else { throw WebSocketError(.protocolError, "a control frame can't be in parts") }
            guard short <= Self.maximumControlBytes else {
                throw WebSocketError(.protocolError, "a control frame has at most \(Self.maximumControlBytes) bytes")
            }
        }
        let extra = short == 127 ? 8 : short == 126 ? 2 : 0
        byteCount = 2 + extra + 4
        guard bytes.count >= byteCount else { return nil }
        length = extra == 0 ? short : try Self.length(bytes[2..<(2 + extra)])
        mask = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 + extra, as: UInt32.self))
    }

    private static func length(_ bytes: Slice<UnsafeRawBufferPointer>) throws(WebSocketError) -> Int {
        let length = bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard length >> 63 == 0 else { throw WebSocketError(.protocolError, "a length of more than 63 bits") }
        guard length > (bytes.count == 2 ? 125 : 0xFFFF) else {
            throw WebSocketError(.protocolError, "a length must be written in as few bytes as it needs")
        }
        return Int(length)
    }

    /// Makes the header of a server's frame, which is never masked.
    ///
    /// - Parameter isLast: whether this is the last frame of its message.
    static func serverFrame(_ opcode: WebSocketOpcode, isLast: Bool = true, length: Int) -> [UInt8] {
        let first = (isLast ? 0x80 : 0) | opcode.rawValue
        switch length {
        case ...125: return [first, UInt8(length)]
        case ...0xFFFF: return [first, 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        default: return [first, 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        }
    }
}

/// The kind of a frame (RFC 6455, section 5.2). All other numbers are reserved, and fail the connection.
enum WebSocketOpcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The reason for a close, as a number (RFC 6455, section 7.4).
package struct WebSocketCloseCode: Sendable, Equatable {
    package let number: UInt16

    package init(_ number: UInt16) {
        self.number = number
    }

    package static let normal = Self(1000)
    package static let goingAway = Self(1001)
    /// Asks the client to connect again (a code of the IANA's registry).
    package static let serviceRestart = Self(1012)
    static let protocolError = Self(1002)
    static let unsupportedData = Self(1003)
    static let invalidData = Self(1007)
    static let tooBig = Self(1009)

    /// Whether a close frame may have the code: 1004 to 1006 and 1015 are for use inside programs, 1016 to 2999 are reserved.
    var mayBeSent: Bool {
        switch number {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// A violation of the protocol by the peer, and the code with which its connection is closed.
package struct WebSocketError: Error, Equatable, CustomStringConvertible {
    package let code: WebSocketCloseCode
    package let description: String

    init(_ code: WebSocketCloseCode, _ description: String) {
        self.code = code
        self.description = description
    }
}
