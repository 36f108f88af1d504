/// Puts messages on a stream in one framing.
package struct FrameEncoder: Sendable {
    private let framing: Framing

    package init(_ framing: Framing) {
        self.framing = framing
    }

    /// Appends one message, given as the parts of its JSON text, so that a long part that exists already is copied once.
    ///
    /// With headers it writes exactly `Content-Length: N\r\n\r\n` before the message: clients in use fail on another
    /// case, another header before it, or more of them.
    package func append(_ parts: UnsafeRawBufferPointer..., to output: inout [UInt8]) {
        if framing == .headers {
            let length = parts.reduce(0) { $0 + $1.count }
            output.append(contentsOf: "Content-Length: ".utf8)
            output.append(contentsOf: String(length).utf8)
            output.append(contentsOf: "\r\n\r\n".utf8)
        }
        for part in parts { output.append(contentsOf: part) }
        if framing == .lines { output.append(UInt8(ascii: "\n")) }
    }
}
