package import Transport

/// What stands before a connection on a TCP port, until its first byte says whether it is to be JSON-RPC or HTTP.
package struct FrontDoor: Sendable {
    private let site: Site
    private let record: @Sendable (any ByteStream) -> any ByteStream

    /// - Parameters:
    ///   - site: answers those who speak HTTP.
    ///   - record: what a conversation goes through that is no HTTP.
    package init(site: Site, record: @escaping @Sendable (any ByteStream) -> any ByteStream = { $0 }) {
        self.site = site
        self.record = record
    }

    /// Takes the first bytes of a connection; on its loop. What isn't for the connection is passed to who has the stream now.
    func take(_ bytes: UnsafeRawBufferPointer, of connection: Connection) {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        // White space before the first message means nothing in any of the languages spoken here.
        guard let first = bytes.firstIndex(where: { !isBlank($0) }) else { return }
        let stream = connection.stream
        if Self.beginsHTTP(bytes[first]) {
            connection.leaveStream()
            site.serve(stream)
        } else {
            connection.record(through: record)
        }
        stream.handler?.stream(stream, didRead: UnsafeRawBufferPointer(rebasing: bytes[first...]))
    }

    /// The first letter of every method but CONNECT, which `Content-Length` begins with too.
    private static func beginsHTTP(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte != UInt8(ascii: "C")
    }
}
