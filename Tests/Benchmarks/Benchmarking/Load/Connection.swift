import CLinux
import Glibc

/// A client of the program that is measured.
package final class Connection {
    package let input: Descriptor
    package let output: Descriptor
    /// What came since the measuring began.
    package var counter = FrameCounter()
    /// Requests that were sent since then.
    package var sent = 0

    /// Over a child's standard streams.
    package init(_ child: Child) {
        input = child.output
        output = child.input
    }

    /// To a port of this machine.
    package init(port: UInt16) throws(SystemFailure) {
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
    }

    @inline(__always)
    package func send(_ requests: UnsafeRawBufferPointer, count: Int = 1) throws {
        try output.write(requests)
        sent &+= count
    }

    /// Waits for bytes, takes them, and returns how many answers ended in them.
    @inline(__always)
    package func receive(into buffer: ReadBuffer) throws -> Int {
        let before = counter.answers
        let count = try input.read(into: buffer.address, count: ReadBuffer.size)
        try counter.take(buffer.address, count: count)
        return counter.answers &- before
    }
}
