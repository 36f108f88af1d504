/// Puts messages on a stream in one framing.
package struct FrameEncoder: Sendable {
    /// A message up to this is put together beside the output, with its header.
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

    /// Appends one message that is given in three parts, so that a long one in the middle, which exists already, is copied
    /// once.
    package func append(
        _ beginning: UnsafeRawBufferPointer, _ middle: UnsafeRawBufferPointer, _ ending: UnsafeRawBufferPointer,
        to output: inout [UInt8]
    ) {
        let length = beginning.count + middle.count + ending.count
        // Each append to an array checks whose it is and how much it holds. So what is short goes in one: 280 instructions
        // less for an event and its answer.
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
