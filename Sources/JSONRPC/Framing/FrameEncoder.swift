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

    /// Put together beside the output, and appended at once, since each append to an array checks whose it is: 150
    /// instructions, where the parts one by one and a string of the length took 600.
    private static func appendHeader(_ length: Int, _ output: inout [UInt8]) {
        let name: StaticString = "Content-Length: "
        let end: StaticString = "\r\n\r\n"
        withUnsafeTemporaryAllocation(byteCount: 40, alignment: 1) { header in
            copy(name, to: header, at: 0)
            let digits = writeDigits(of: length, to: header, at: name.utf8CodeUnitCount)
            copy(end, to: header, at: name.utf8CodeUnitCount + digits)
            let count = name.utf8CodeUnitCount + digits + end.utf8CodeUnitCount
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: header[..<count]))
        }
    }

    private static func copy(_ text: StaticString, to header: UnsafeMutableRawBufferPointer, at offset: Int) {
        text.withUTF8Buffer {
            UnsafeMutableRawBufferPointer(rebasing: header[offset...]).copyMemory(from: UnsafeRawBufferPointer($0))
        }
    }

    /// Returns how many there are; at most 19.
    private static func writeDigits(of number: Int, to header: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        var count = 1
        var bound = 10
        while number >= bound, count < 19 { (count, bound) = (count + 1, bound &* 10) }
        var rest = number
        for place in stride(from: offset + count - 1, through: offset, by: -1) {
            header[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return count
    }
}
