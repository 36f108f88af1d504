/// Puts messages on a stream in one framing.
package struct FrameEncoder: Sendable {
    private let framing: Framing

    package init(_ framing: Framing) {
        self.framing = framing
    }

    /// Appends one message, the text of one JSON value.
    ///
    /// With headers it writes exactly `Content-Length: N\r\n\r\n` before the message: clients in use fail on another
    /// case, another header before it, or more of them.
    package func append(_ message: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        begin(message.count, &output)
        output.append(contentsOf: message)
        end(&output)
    }

    /// Appends one message that is given in three parts, so that a long one in the middle, which exists already, is copied
    /// once.
    package func append(
        _ beginning: UnsafeRawBufferPointer, _ middle: UnsafeRawBufferPointer, _ ending: UnsafeRawBufferPointer,
        to output: inout [UInt8]
    ) {
        begin(beginning.count + middle.count + ending.count, &output)
        output.append(contentsOf: beginning)
        output.append(contentsOf: middle)
        output.append(contentsOf: ending)
        end(&output)
    }

    private func begin(_ length: Int, _ output: inout [UInt8]) {
        if framing == .headers { Self.appendHeader(length, &output) }
    }

    private func end(_ output: inout [UInt8]) {
        if framing == .lines { output.append(UInt8(ascii: "\n")) }
    }

    /// Put together backwards beside the output, since each append to an array checks whose it is: 120 instructions, where
    /// the parts one by one and a string of the length took 600.
    private static func appendHeader(_ length: Int, _ output: inout [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: 40, alignment: 1) { header in
            var start = header.count
            func prepend(_ text: StaticString) {
                start -= text.utf8CodeUnitCount
                text.withUTF8Buffer {
                    UnsafeMutableRawBufferPointer(rebasing: header[start...]).copyMemory(
                        from: UnsafeRawBufferPointer($0))
                }
            }
            prepend("\r\n\r\n")
            var rest = length
            repeat {
                start -= 1
                header[start] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            prepend("Content-Length: ")
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: header[start...]))
        }
    }
}
