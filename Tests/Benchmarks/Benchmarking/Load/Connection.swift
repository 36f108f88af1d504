import CLinux
import Glibc

/// A client of the program that is measured.
package final class Connection {
    package let input: Descriptor
    package let output: Descriptor
    package let framing: LoadFraming
    /// The messages that came since the measurement began.
    package var counter: FrameCounter
    /// Requests that were sent since then.
    package var sent = 0
    /// Bytes that came, from the first on.
    package private(set) var receivedBytes = 0

    /// Over a child's standard streams.
    package init(_ child: Child) {
        input = child.output
        output = child.input
        framing = .headers
        counter = FrameCounter()
    }

    /// To a port of this machine.
    package init(port: UInt16, framing: LoadFraming = .headers) throws(SystemFailure) {
        self.framing = framing
        counter = FrameCounter(framing)
        input = Descriptor(try check(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), "socket"))
        output = input
        var on: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        try check(setsockopt(input.number, Int32(IPPROTO_TCP), TCP_NODELAY, &on, length), "setsockopt")
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(input.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try check(code, "connecting to port \(port)")
        if framing == .webSocket { try beginWebSocket() }
    }

    /// The server says nothing of its own accord, so what comes is the answer alone.
    private func beginWebSocket() throws(SystemFailure) {
        let lines = [
            "GET /ws HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
        ]
        let request = Array(lines.joined(separator: "\r\n").utf8)
        var sent = 0
        while sent < request.count {
            let rest = Array(request[sent...])
            sent += Int(try check(Int32(write(output.number, rest, rest.count)), "asking for a WebSocket"))
        }
        var answer: [UInt8] = []
        while !answer.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            var chunk = [UInt8](repeating: 0, count: 1_024)
            let count = Int(try check(Int32(Glibc.read(input.number, &chunk, 1_024)), "reading a handshake"))
            guard count > 0 else { throw SystemFailure(description: "the connection ended in the handshake") }
            answer += chunk[..<count]
        }
        guard answer.starts(with: "HTTP/1.1 101 ".utf8) else {
            throw SystemFailure(description: "no WebSocket: \(String(decoding: answer.prefix(100), as: UTF8.self))")
        }
    }

    @inline(__always)
    package func send(_ request: UnsafeRawBufferPointer) throws {
        try output.write(request)
        sent &+= 1
    }

    /// Waits for bytes, takes them, and returns how many answers ended in them.
    @inline(__always)
    package func receive(into buffer: ReadBuffer) throws -> Int {
        let before = counter.answers
        let count = try read(into: buffer.address, count: ReadBuffer.size)
        try counter.take(buffer.address, count: count)
        return counter.answers &- before
    }

    /// Waits for bytes and returns how many came.
    @inline(__always)
    func read(into address: UnsafeMutableRawPointer, count: Int) throws(SystemFailure) -> Int {
        let count = try input.read(into: address, count: count)
        receivedBytes &+= count
        return count
    }
}
