import JSON

/// Cuts a stream of bytes, which may come in pieces of any size, into messages.
///
/// The first byte that is not white space chooses the framing for good. The decoder holds at most one incomplete message, and
/// never reserves memory for a length that was only announced.
package struct FrameDecoder {
    /// Bounds on what is held for one message, in bytes.
    package struct Limits: Sendable {
        package var messageBytes: Int
        /// The most bytes of a message's header block, or of white space before a message.
        package var headerBytes: Int
        /// Whether `messageBytes` is the bound for a client that isn't initialized, so that errors say so.
        package var isInitial = false

        package init(messageBytes: Int = 16 << 20, headerBytes: Int = 8 << 10) {
            self.messageBytes = messageBytes
            self.headerBytes = headerBytes
        }
    }

    private enum State {
        case undetected
        case line
        /// The decoder is in a header block, of which so many bytes have been read.
        case header(bytes: Int)
        case body(bytes: Int)
        /// The decoder is in a message in a charset that isn't supported, of which so many bytes are left.
        case skipping(bytes: Int)
        case failed
    }

    /// The limits, which must not be changed from inside `receive`.
    package var limits: Limits
    private var state = State.undetected
    /// The header block so far. While a message is skipped it has the reason.
    private var headers = HeaderBlock()
    /// The beginning of a message or header line whose end hasn't come, or messages that weren't taken yet.
    private var pending: [UInt8] = []
    /// How many bytes at the beginning of `pending` are used up. Many are dropped at once: to drop each message by itself would
    /// move all those behind it.
    private var usedPending = 0
    /// How much of `pending` is known to hold no line end, so that a long line in small pieces isn't searched again.
    private var searched = 0
    /// The number of bytes of white space since the last message.
    private var blankBytes = 0
    /// Whether `receive` has returned false, and so wants no more frames.
    private var isStopped = false
    private let keepsUnframed: Bool
    private let dialect: Dialect
    /// The bytes of a message that are used up although its end hasn't come. If it never comes, `unframed` begins with them.
    private var begun: [UInt8] = []
    /// The bytes that no framing could take apart: of the last call, and kept before it. Empty unless `keepsUnframed`.
    package private(set) var unframed: [UInt8] = []

    /// - Parameter keepsUnframed: fills `unframed`, for recordings.
    package init(limits: Limits = Limits(), dialect: Dialect = .jsonRPC, keepsUnframed: Bool = false) {
        self.limits = limits
        self.dialect = dialect
        self.keepsUnframed = keepsUnframed
    }

    /// Takes the next bytes and hands over the frames that they complete, in order, for as long as `receive` returns
    /// true; the rest is kept for the next call, which may bring no bytes. `receive` must not call back.
    package mutating func decode(_ bytes: UnsafeRawBufferPointer, _ receive: (Frame) -> Bool) {
        _ = decode(bytes, while: receive)
    }

    /// Decodes as `decode(_:_:)` does.
    ///
    /// - Returns: whether `receive` wanted no more though there are more bytes.
    mutating func decode(_ bytes: UnsafeRawBufferPointer, while receive: (Frame) -> Bool) -> Bool {
        guard !pending.isEmpty else {
            let (used, isStopped) = consume(bytes, receive)
            keep(bytes, from: used)
            return isStopped && used < bytes.count
        }
        append(bytes)
        let joined = pending
        let start = usedPending
        (pending, usedPending) = ([], 0)
        let (used, isStopped) = joined.withUnsafeBytes {
            consume($0.suffix(from: start), receive)
        }
        let hasMore = isStopped && start + used < joined.count
        if !isFailed, hasMore || used == 0 {
            (pending, usedPending) = (joined, start + used)
        } else {
            // Copied, so that the memory of a large message isn't kept until the next one.
            joined.withUnsafeBytes { keep($0, from: start + used) }
        }
        return hasMore
    }

    /// Takes a whole message from the beginning of `bytes`, where it has the form that clients nearly always write and no
    /// earlier bytes are kept.
    ///
    /// - Returns: nil otherwise; then `decode` has to look at the bytes.
    mutating func takeMessage(from bytes: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard pending.isEmpty, !keepsUnframed else { return nil }
        switch state {
        case .line: return takeLine(from: &bytes)
        case .header(bytes: 0): return takeBody(from: &bytes)
        default: return nil
        }
    }

    private mutating func takeLine(from bytes: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let first = bytes.first, !isBlank(first), let end = bytes.firstIndex(of: UInt8(ascii: "\n"), from: 0)
        else { return nil }
        let line = withoutCarriageReturn(bytes.prefix(upTo: end))
        guard line.count <= limits.messageBytes else { return nil }
        blankBytes = 0
        bytes = bytes.suffix(from: end + 1)
        return line
    }

    private func takeBody(from bytes: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let block = plainHeader(in: bytes), block.contentLength <= bytes.count - block.byteCount else {
            return nil
        }
        let body = bytes.suffix(from: block.byteCount)
        bytes = body.suffix(from: block.contentLength)
        return body.prefix(upTo: block.contentLength)
    }

    /// Keeps the next bytes for a later call of `decode`.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !isFailed || keepsUnframed else { return }
        if usedPending > pending.count / 2, !bytes.isEmpty {
            pending.removeFirst(usedPending)
            usedPending = 0
        }
        pending.append(contentsOf: bytes)
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer, from used: Int) {
        guard used < bytes.count || keepsUnframed else { return }
        if !isFailed {
            pending.append(contentsOf: bytes[used...])
        } else if keepsUnframed {
            unframed = begun + bytes[used...]
            begun = []
        }
    }

    /// Takes the end of the stream. A last line without its `\n` is a message; anything else incomplete is a `failure`.
    package mutating func finish(_ receive: (Frame) -> Void) {
        switch state {
        case .undetected, .failed:
            break
        case .line:
            pending.withUnsafeBytes { bytes in
                let line = withoutCarriageReturn(bytes.suffix(from: usedPending))
                if !line.allSatisfy(isBlank) { receive(.message(line)) }
            }
        case .header(let bytes):
            if bytes > 0 || usedPending < pending.count {
                receive(.failure(RPCError(.parseError, "the input ended in the middle of a header block")))
            }
        case .body(let length):
            let reason = "the input ended after \(pending.count - usedPending) of a message's \(length) bytes"
            receive(.failure(RPCError(.parseError, reason)))
        case .skipping:
            receive(.failure(unsupportedCharset))
        }
        if keepsUnframed, !isLine { unframed = begun + pending[usedPending...] }
        (pending, usedPending) = ([], 0)
        state = .failed
    }

    /// The bytes that are kept for a later call.
    package var heldBytes: Int { pending.count - usedPending + begun.count }

    /// Whether the next byte begins a message.
    package var isBetweenMessages: Bool {
        guard pending.isEmpty else { return false }
        return switch state {
        case .undetected, .line, .header(bytes: 0), .failed: true
        case .header, .body, .skipping: false
        }
    }

    /// Takes no more bytes, and gives back the memory of those that are kept. Must not be called from inside `receive`.
    package mutating func end() {
        state = .failed
        (pending, usedPending, begun) = ([], 0, [])
    }

    private var isFailed: Bool {
        if case .failed = state { true } else { false }
    }

    private var isLine: Bool {
        if case .line = state { true } else { false }
    }

    /// Hands over the frames in `bytes`. Returns how many bytes were used up, and whether `receive` wanted no more. If it
    /// wanted more, the rest is the beginning of something whose end hasn't come.
    private mutating func consume(
        _ bytes: UnsafeRawBufferPointer, _ receive: (Frame) -> Bool
    ) -> (used: Int, isStopped: Bool) {
        var used = 0
        isStopped = false
        while !isStopped, !isFailed, used < bytes.count || isWaitingForNothing {
            let rest = bytes.suffix(from: used)
            guard let step = advance(rest, receive) else { break }
            used += step
            if keepsUnframed { note(rest.prefix(upTo: step)) }
        }
        return (used, isStopped)
    }

    private mutating func note(_ used: UnsafeRawBufferPointer) {
        switch state {
        // No message has begun, or one is skipped, which is reported as unreadable.
        case .line, .header(bytes: 0), .skipping: begun = []
        case .undetected, .header, .body, .failed: begun.append(contentsOf: used)
        }
    }

    /// Whether the next step needs no bytes: an empty body is complete before the next byte comes.
    private var isWaitingForNothing: Bool {
        switch state {
        case .body(bytes: 0), .skipping(bytes: 0): true
        default: false
        }
    }

    /// Takes one step. Returns how many bytes it used, or nil when it needs more than there are.
    private mutating func advance(_ bytes: UnsafeRawBufferPointer, _ receive: (Frame) -> Bool) -> Int? {
        switch state {
        case .undetected: detect(bytes, receive)
        case .line: line(bytes, receive)
        case .header(bytes: 0): plainHeader(bytes) ?? header(bytes, 0, receive)
        case .header(let count): header(bytes, count, receive)
        case .body(let length): body(bytes, length, receive)
        case .skipping(let length): skip(bytes, length, receive)
        case .failed: nil
        }
    }

    private mutating func detect(_ bytes: UnsafeRawBufferPointer, _ receive: (Frame) -> Bool) -> Int? {
        let start = bytes.firstIndex { !isBlank($0) } ?? bytes.count
        guard takeBlanks(start, receive), start < bytes.count else { return start }
        guard let framing = Framing.starting(with: bytes[start]) else {
            let advice = "expected '{' or '[' (one message a line) or a Content-Length header"
            return fail(RPCError(.parseError, "\(advice), but the first byte is \(describe(bytes[start]))"), receive)
        }
        state = framing == .lines ? .line : .header(bytes: 0)
        isStopped = !receive(.detected(framing))
        return start
    }

    private mutating func line(_ bytes: UnsafeRawBufferPointer, _ receive: (Frame) -> Bool) -> Int? {
        if searched == 0, isBlank(bytes[0]), let end = endOfEmptyLines(bytes) {
            return takeBlanks(end, receive) ? end : 0
        }
        let end = lineEnd(in: bytes)
        let line = withoutCarriageReturn(bytes.prefix(upTo: end ?? bytes.count))
        if line.count > limits.messageBytes { return fail(tooLong("a line"), receive) }
        guard let end else { return nil }
        if line.allSatisfy(isBlank) { return takeBlanks(end + 1, receive) ? end + 1 : 0 }
        blankBytes = 0
        isStopped = !receive(.message(line))
        return end + 1
    }

    /// Returns where the empty lines at the beginning end; nil where there are none. White space before a message is part of
    /// the message's line, and not counted.
    private func endOfEmptyLines(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let blanks = bytes.prefix(while: isBlank)
        return blanks.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
    }

    /// Counts white space before a message. Returns false, and fails the decoder, when there is more than a header may have.
    private mutating func takeBlanks(_ count: Int, _ receive: (Frame) -> Bool) -> Bool {
        blankBytes += count
        guard blankBytes > limits.headerBytes else { return true }
        let reason = "more than \(limits.headerBytes) bytes of white space before a message"
        _ = fail(dialect.limitExceeded("headerBytes", reason), receive)
        return false
    }

    private mutating func plainHeader(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let block = plainHeader(in: bytes) else { return nil }
        searched = 0
        state = .body(bytes: block.contentLength)
        return block.byteCount
    }

    /// Returns the header block of a message where it is whole, within the limits and in the form that clients nearly always
    /// write. Any other is read line by line.
    private func plainHeader(in bytes: UnsafeRawBufferPointer) -> PlainHeaderBlock? {
        guard let block = PlainHeaderBlock(bytes), block.byteCount <= limits.headerBytes,
            block.contentLength <= limits.messageBytes
        else { return nil }
        return block
    }

    private mutating func header(
        _ bytes: UnsafeRawBufferPointer, _ count: Int, _ receive: (Frame) -> Bool
    ) -> Int? {
        let end = lineEnd(in: bytes)
        guard count + (end.map { $0 + 1 } ?? bytes.count) <= limits.headerBytes else {
            let reason = "a header block is longer than \(limits.headerBytes) bytes"
            return fail(dialect.limitExceeded("headerBytes", reason), receive)
        }
        guard let end else { return nil }
        guard end > 0, bytes[end - 1] == UInt8(ascii: "\r") else {
            return fail(RPCError(.parseError, "a header line must end with \\r\\n, not with \\n alone"), receive)
        }
        let line = bytes[..<(end - 1)]
        do throws(RPCError) {
            if line.isEmpty {
                try beginBody()
            } else {
                try headers.take(line)
                state = .header(bytes: count + end + 1)
            }
        } catch {
            return fail(error, receive)
        }
        return end + 1
    }

    private mutating func beginBody() throws(RPCError) {
        guard let length = headers.contentLength else {
            throw RPCError(.parseError, "a header block without Content-Length: the message's end can't be found")
        }
        guard length <= limits.messageBytes else { throw tooLong("a message") }
        state = headers.unsupportedCharset == nil ? .body(bytes: length) : .skipping(bytes: length)
    }

    private var unsupportedCharset: RPCError {
        RPCError(.parseError, "charset \(headers.unsupportedCharset ?? "") is not supported; send utf-8")
    }

    private mutating func beginHeader() {
        state = .header(bytes: 0)
        headers = HeaderBlock()
    }

    private mutating func body(
        _ bytes: UnsafeRawBufferPointer, _ length: Int, _ receive: (Frame) -> Bool
    ) -> Int? {
        guard bytes.count >= length else { return nil }
        beginHeader()
        isStopped = !receive(.message(bytes.prefix(upTo: length)))
        return length
    }

    private mutating func skip(
        _ bytes: UnsafeRawBufferPointer, _ length: Int, _ receive: (Frame) -> Bool
    ) -> Int? {
        guard bytes.count >= length else {
            state = .skipping(bytes: length - bytes.count)
            return bytes.count
        }
        let error = unsupportedCharset
        beginHeader()
        isStopped = !receive(.unreadable(error))
        return length
    }

    private mutating func lineEnd(in bytes: UnsafeRawBufferPointer) -> Int? {
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"), from: min(searched, bytes.count))
        searched = end == nil ? bytes.count : 0
        return end
    }

    private func tooLong(_ what: String) -> RPCError {
        let reason = "\(what) is longer than \(limits.messageBytes) bytes"
        guard limits.isInitial else { return dialect.limitExceeded("messageBytes", reason) }
        return dialect.limitExceeded("initialBytes", "\(reason); longer ones are read once initialize has succeeded")
    }

    /// Reports that the rest can't be read. Returns 0, as no more bytes are used up.
    private mutating func fail(_ error: RPCError, _ receive: (Frame) -> Bool) -> Int {
        state = .failed
        isStopped = !receive(.failure(error))
        return 0
    }

    private func describe(_ byte: UInt8) -> String {
        0x21...0x7E ~= byte ? "'\(Character(Unicode.Scalar(byte)))'" : "0x\(String(byte, radix: 16, uppercase: true))"
    }
}

/// Returns a line without the `\r` at its end, which is no part of the message.
private func withoutCarriageReturn(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    line.last == UInt8(ascii: "\r") ? line.prefix(upTo: line.count - 1) : line
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}
