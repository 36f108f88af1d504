/// Splits a client's bytes, which come in pieces of any size, into messages and control frames (RFC 6455, section 5). Rules
/// only, without I/O.
///
/// Keeps at most one message, and never reserves memory for a length that was only announced.
package struct WebSocketReader {
    /// What a client's bytes have completed.
    package enum Event {
        /// A whole text message. Its bytes are borrowed for the call, as are those of `binary`.
        case text(UnsafeRawBufferPointer)
        case binary(UnsafeRawBufferPointer)
        case ping([UInt8])
        case pong
        /// The peer closes the connection, with this code; nil when it gave none.
        case close(WebSocketCloseCode?)
        /// The peer broke the rules, and the connection fails. No event comes after this one or after `close`.
        case failure(WebSocketError)
    }

    /// The most memory that is kept from one message for the next.
    private static let keptBytes = 4 << 10

    /// The longest message in bytes. Must not be changed from inside `read`.
    var maximumBytes: Int
    /// Whether messages are kept; false where only the close frame after them is of interest. Must not be changed from inside
    /// `read`.
    var keepsMessages = true
    /// The number of messages that were completed.
    private(set) var messageCount = 0
    /// The beginning of an incomplete header.
    private var begun: [UInt8] = []
    /// The frame that is being read, nil between two frames, and the number of its payload bytes that are missing.
    private var frame: WebSocketFrameHeader?
    private var missing = 0
    /// The kind of the message that is being read; nil between two messages.
    private var kind: WebSocketOpcode?
    private var message: [UInt8] = []
    private var control: [UInt8] = []
    private var text = UTF8Check()
    private var isOver = false

    /// - Parameter maximumBytes: the longest message in bytes.
    package init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// The number of bytes of an unfinished message or frame.
    var heldBytes: Int { message.count + begun.count + control.count }

    /// Whether the next byte begins a message.
    var isBetweenMessages: Bool { frame == nil && kind == nil && begun.isEmpty || isOver }

    /// Takes no more bytes, and frees the memory of the unfinished ones.
    mutating func end() {
        isOver = true
        (message, begun, control) = ([], [], [])
    }

    /// Reads the next bytes, and passes on the events that they complete, in order, for as long as `receive` returns true.
    ///
    /// - Returns: the number of bytes that were used; the caller keeps the others.
    package mutating func read(_ bytes: UnsafeRawBufferPointer, _ receive: (Event) -> Bool) -> Int {
        var used = 0
        var goesOn = true
        do throws(WebSocketError) {
            while goesOn, !isOver, used < bytes.count || missing == 0 && frame != nil {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
                if let frame {
                    used += try takePayload(rest, of: frame)
                    if missing == 0 { goesOn = try end(frame, receive) }
                } else {
                    used += try takeHeader(rest)
                }
            }
        } catch {
            isOver = true
            _ = receive(.failure(error))
        }
        return isOver ? bytes.count : used
    }

    private mutating func takeHeader(_ bytes: UnsafeRawBufferPointer) throws(WebSocketError) -> Int {
        guard begun.isEmpty else {
            let missing = min(bytes.count, WebSocketFrameHeader.maximumBytes - begun.count)
            let joined = begun + bytes[..<missing]
            guard let header = try Self.header(joined) else {
                begun = joined
                return missing
            }
            let used = header.byteCount - begun.count
            begun = []
            try begin(header)
            return used
        }
        guard let header = try WebSocketFrameHeader(clientFrame: bytes) else {
            begun = Array(bytes)
            return bytes.count
        }
        try begin(header)
        return header.byteCount
    }

    private static func header(_ bytes: [UInt8]) throws(WebSocketError) -> WebSocketFrameHeader? {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(WebSocketError) in try WebSocketFrameHeader(clientFrame: bytes) }
        }
        return try result.get()
    }

    private mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketError) {
        switch header.opcode {
        case .continuation:
            guard kind != nil else { throw WebSocketError(.protocolError, "a continuation of no message") }
        case .text, .binary:
            guard kind == nil else {
                throw WebSocketError(.protocolError, "a message begins before the one before it has ended")
            }
            kind = header.opcode
            text = UTF8Check()
        case .close, .ping, .pong:
            break
        }
        if !header.opcode.isControl, header.length > maximumBytes - message.count {
            throw WebSocketError(.tooBig, "a message is longer than \(maximumBytes) bytes")
        }
        frame = header
        missing = header.length
    }

    private mutating func takePayload(
        _ bytes: UnsafeRawBufferPointer, of frame: WebSocketFrameHeader
    ) throws(WebSocketError) -> Int {
        let count = min(missing, bytes.count)
        guard count > 0 else { return 0 }
        let payload = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        let start = frame.length - missing
        missing -= count
        if frame.opcode.isControl {
            control.appendUnmasked(payload, mask: frame.mask, at: start)
        } else if !keepsMessages {
            (message, text) = ([], UTF8Check())
        } else {
            let place = message.count
            message.appendUnmasked(payload, mask: frame.mask, at: start)
            guard kind != .text || check(from: place) else {
                throw WebSocketError(.invalidData, "a text message is no UTF-8")
            }
        }
        return count
    }

    private mutating func check(from place: Int) -> Bool {
        message.withUnsafeBytes { text.take(UnsafeRawBufferPointer(rebasing: $0[place...])) }
    }

    private mutating func end(
        _ frame: WebSocketFrameHeader, _ receive: (Event) -> Bool
    ) throws(WebSocketError) -> Bool {
        self.frame = nil
        if frame.opcode.isControl { return try endControl(frame.opcode, receive) }
        guard frame.isFinal else { return true }
        let isText = kind == .text
        kind = nil
        messageCount &+= 1
        guard !isText || text.isComplete else {
            throw WebSocketError(.invalidData, "a text message ends in the middle of a character")
        }
        let goesOn = message.withUnsafeBytes { receive(isText ? .text($0) : .binary($0)) }
        message.removeAll(keepingCapacity: message.capacity <= Self.keptBytes)
        return goesOn
    }

    private mutating func endControl(
        _ opcode: WebSocketOpcode, _ receive: (Event) -> Bool
    ) throws(WebSocketError) -> Bool {
        let payload = control
        control = []
        switch opcode {
        case .ping: return receive(.ping(payload))
        case .pong: return receive(.pong)
        default:
            let code = try Self.closeCode(payload)
            isOver = true
            return receive(.close(code))
        }
    }

    private static func closeCode(_ payload: [UInt8]) throws(WebSocketError) -> WebSocketCloseCode? {
        guard !payload.isEmpty else { return nil }
        guard payload.count >= 2 else { throw WebSocketError(.protocolError, "half a close code") }
        let code = WebSocketCloseCode(UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.mayBeSent else { throw WebSocketError(.protocolError, "the close code \(code.number) is reserved") }
        guard String(validating: payload[2...], as: UTF8.self) != nil else {
            throw WebSocketError(.invalidData, "the reason for closing is no UTF-8")
        }
        return code
    }
}

extension [UInt8] {
    /// Appends bytes of a frame's payload, unmasked.
    ///
    /// - Parameter start: the number of the frame's payload bytes before these.
    fileprivate mutating func appendUnmasked(_ bytes: UnsafeRawBufferPointer, mask: UInt32, at start: Int) {
        // The mask, rotated to the first of these bytes.
        let turn = UInt32(truncatingIfNeeded: start & 3) * 8
        let turned = turn == 0 ? mask : mask >> turn | mask << (32 - turn)
        let wide = UInt64(turned) << 32 | UInt64(turned)
        let place = count
        append(contentsOf: bytes)
        withUnsafeMutableBytes { all in
            let target = UnsafeMutableRawBufferPointer(rebasing: all[place...])
            var index = 0
            while index + 8 <= target.count {
                let word = target.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                target.storeBytes(of: word ^ wide.littleEndian, toByteOffset: index, as: UInt64.self)
                index += 8
            }
            while index < target.count {
                target[index] ^= UInt8(truncatingIfNeeded: turned >> (UInt32(index & 3) * 8))
                index += 1
            }
        }
    }
}
