/// The beginning of a frame, up to its payload (RFC 6455, section 5.2).
struct WebSocketFrameHeader: Equatable {
    /// The longest: two bytes, a length of eight, a mask of four.
    static let maximumBytes = 14
    /// The longest payload of a control frame.
    static let maximumControlBytes = 125

    var isFinal: Bool
    var opcode: WebSocketOpcode
    var length: Int
    /// Bytes of the mask in the order in which they stand, the first in the lowest bits.
    var mask: UInt32
    /// Of the header itself.
    var byteCount: Int

    /// Nil when there are too few bytes.
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

    /// The header of a server's frame, which is never masked and never in parts.
    static func serverFrame(_ opcode: WebSocketOpcode, length: Int) -> [UInt8] {
        let first = 0x80 | opcode.rawValue
        switch length {
        case ...125: return [first, UInt8(length)]
        case ...0xFFFF: return [first, 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        default: return [first, 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        }
    }
}
