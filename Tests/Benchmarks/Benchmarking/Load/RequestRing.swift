/// Framed requests, made before anything is measured; sending them costs no more than a new id in each.
///
/// They follow each other in memory; after the last comes the first again.
package struct RequestRing: ~Copyable {
    private let bytes: UnsafeMutableRawBufferPointer
    /// Where each frame begins, and where the last ends.
    private let starts: [Int]
    /// Where each frame's id begins.
    private let ids: [Int]
    private let count: Int
    private var position = 0
    private var id = 100_000_000

    /// - Parameter params: of each request, as JSON text.
    package init(method: String, params: [String], framing: LoadFraming = .headers) {
        let frames = params.map { params in
            let body = #"{"jsonrpc":"2.0","id":100000000,"method":"\#(method)","params":\#(params)}"#
            return framing.frame(body)
        }
        starts = frames.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
        let mark = Array(#""id":"#.utf8)
        ids = zip(starts, frames).map { start, frame in
            let header = frame.firstIndex(of: UInt8(ascii: "{")) ?? 0
            return start + header + #"{"jsonrpc":"2.0","#.utf8.count + mark.count
        }
        count = params.count
        bytes = .allocate(byteCount: starts[starts.count - 1], alignment: 8)
        for (start, frame) in zip(starts, frames) {
            UnsafeMutableRawBufferPointer(rebasing: bytes[start...]).copyBytes(from: frame)
        }
    }

    deinit {
        bytes.deallocate()
    }

    /// The next request, as it goes on the wire; valid until the next call.
    package mutating func next() -> UnsafeRawBufferPointer {
        writeID(at: ids[position])
        let range = starts[position]..<starts[position + 1]
        position = position + 1 == count ? 0 : position + 1
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[range])
    }

    private mutating func writeID(at offset: Int) {
        id &+= 1
        var rest = id
        for place in stride(from: offset &+ 8, through: offset, by: -1) {
            bytes[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
