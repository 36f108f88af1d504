/// Puts messages on a stream in one framing.
package struct FrameEncoder: Sendable {
    /// The longest message, in bytes, that is put together with its header and then appended in one piece.
    private static let shortBytes = 1024 - ShortFrame.overheadBytes

    private let framing: Framing?

    /// - Parameter framing: nil for a stream that keeps messages apart by itself.
    package init(_ framing: Framing?) {
        self.framing = framing
    }

    /// Appends one message, the text of one JSON value.
    ///
    /// With headers it writes exactly `Content-Length: N\r\n\r\n` before the message: clients in use fail on another
    /// case, another header before it, or more of them.
    package func append(_ message: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        append(message, nothing, nothing, to: &output)
    }

    /// Appends everything before a message of `length` bytes, which the caller appends next.
    package func appendBeginning(ofMessage length: Int, to output: inout [UInt8]) {
        guard framing == .headers else { return }
        withUnsafeTemporaryAllocation(byteCount: ShortFrame.overheadBytes, alignment: 8) { memory in
            var frame = ShortFrame(memory)
            frame.appendHeader(length)
            output.append(contentsOf: frame.bytes)
        }
    }

    /// Appends everything after a message that `appendBeginning(ofMessage:to:)` has begun.
    package func appendEnd(to output: inout [UInt8]) {
        if framing == .lines { output.append(UInt8(ascii: "\n")) }
    }

    /// Appends one message that is given in three parts, so that a long one in the middle, which exists already, is
    /// copied once.
    package func append(
        _ beginning: UnsafeRawBufferPointer, _ middle: UnsafeRawBufferPointer, _ ending: UnsafeRawBufferPointer,
        to output: inout [UInt8]
    ) {
        let length = beginning.count + middle.count + ending.count
        // Each append to an array checks its owner and capacity, so a short message is appended at once.
        withUnsafeTemporaryAllocation(byteCount: Self.shortBytes + ShortFrame.overheadBytes, alignment: 8) { memory in
            var frame = ShortFrame(memory)
            if framing == .headers { frame.appendHeader(length) }
            if length <= Self.shortBytes {
                frame.append(beginning)
                frame.append(middle)
                frame.append(ending)
            } else {
                output.append(contentsOf: frame.bytes)
                output.append(contentsOf: beginning)
                output.append(contentsOf: middle)
                output.append(contentsOf: ending)
                frame.removeAll()
            }
            if framing == .lines { frame.append("\n") }
            output.append(contentsOf: frame.bytes)
        }
    }
}

/// A header, a message or both, put together in memory that the caller lends and that is large enough.
private struct ShortFrame {
    /// The room for the longest header and a line's end, in bytes.
    static let overheadBytes = 64

    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = memory
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory.baseAddress, count: count) }

    mutating func removeAll() {
        count = 0
    }

    mutating func append(_ text: UnsafeRawBufferPointer) {
        guard let source = text.baseAddress, let base = memory.baseAddress else { return }
        (base + count).copyMemory(from: source, byteCount: text.count)
        count &+= text.count
    }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends the header block of a message of `length` bytes.
    mutating func appendHeader(_ length: Int) {
        append("Content-Length: ")
        appendDigits(of: length)
        append("\r\n\r\n")
    }

    private mutating func appendDigits(of number: Int) {
        var end = count + 1
        var rest = number / 10
        while rest > 0 {
            end += 1
            rest /= 10
        }
        rest = number
        for place in stride(from: end - 1, through: count, by: -1) {
            memory[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count = end
    }
}
