/// Splits what the other end of a link sends, which comes in pieces of any size, into frames. No I/O, and no rules on
/// their order.
///
/// It holds one frame at most.
package struct LinkFrameReader {
    /// The beginning of a frame that isn't whole.
    private var begun: [UInt8] = []
    private var isOver = false
    /// The longest that the next frame may say it is.
    private var maximumLength: Int

    /// - Parameter firstLength: the longest that the first frame may say it is: until that was right, anyone may be there.
    package init(firstLength: Int = LinkFrame.maximumLength) {
        maximumLength = min(firstLength, LinkFrame.maximumLength)
    }

    /// Takes the next bytes and hands over the frames that they complete, in order.
    ///
    /// - Throws: what `receive` throws; or that the bytes are no frames. No more frames come from then on.
    package mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ receive: (LinkFrame) throws(LinkError) -> Void
    ) throws(LinkError) {
        guard !isOver else { return }
        do throws(LinkError) {
            try readOn(bytes, receive)
        } catch {
            isOver = true
            begun = []
            throw error
        }
    }

    private mutating func readOn(
        _ bytes: UnsafeRawBufferPointer, _ receive: (LinkFrame) throws(LinkError) -> Void
    ) throws(LinkError) {
        var rest = bytes
        if !begun.isEmpty {
            guard let frame = try completeBegun(&rest) else { return }
            maximumLength = LinkFrame.maximumLength
            try receive(frame)
        }
        while let length = try length(rest), rest.count >= length {
            maximumLength = LinkFrame.maximumLength
            try receive(LinkFrame(UnsafeRawBufferPointer(rebasing: rest[LinkFrame.lengthBytes..<length])))
            rest = UnsafeRawBufferPointer(rebasing: rest[length...])
        }
        begun.append(contentsOf: rest)
    }

    /// Takes off `rest` what the begun frame lacks; nil when that isn't all there.
    private mutating func completeBegun(_ rest: inout UnsafeRawBufferPointer) throws(LinkError) -> LinkFrame? {
        take(LinkFrame.lengthBytes - begun.count, from: &rest)
        guard let length = try begunLength() else { return nil }
        take(length - begun.count, from: &rest)
        guard begun.count == length else { return nil }
        let whole = begun
        begun.removeAll(keepingCapacity: true)
        let frame = whole.withUnsafeBytes { bytes in
            Result { () throws(LinkError) in
                try LinkFrame(UnsafeRawBufferPointer(rebasing: bytes[LinkFrame.lengthBytes...]))
            }
        }
        return try frame.get()
    }

    private mutating func take(_ count: Int, from rest: inout UnsafeRawBufferPointer) {
        let count = min(count, rest.count)
        guard count > 0 else { return }
        begun.append(contentsOf: rest[..<count])
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }

    private func begunLength() throws(LinkError) -> Int? {
        let length = begun.withUnsafeBytes { bytes in
            Result { () throws(LinkError) in try self.length(bytes) }
        }
        return try length.get()
    }

    /// The length of the frame that begins here, that of the length itself included; nil when there are too few bytes to tell.
    private func length(_ bytes: UnsafeRawBufferPointer) throws(LinkError) -> Int? {
        guard bytes.count >= LinkFrame.lengthBytes else { return nil }
        let length = bytes.bigEndianNumber(at: 0)
        guard length <= maximumLength else {
            throw LinkError("a frame of \(length) bytes, and \(maximumLength) is the most")
        }
        return LinkFrame.lengthBytes + Int(length)
    }
}
