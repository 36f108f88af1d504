/// Splits the bytes from the other end of a link, which come in pieces of any size, into frames. Does no I/O, and has no
/// rules on the order of frames.
///
/// Keeps at most one unfinished frame.
package struct LinkFrameReader {
    /// The beginning of a frame that isn't complete.
    private var begun: [UInt8] = []
    private var isOver = false
    /// The greatest length that the next frame may state.
    private var maximumLength: Int

    /// - Parameter firstLength: the greatest length that the first frame may state. Until that frame was right, the other end
    ///   may be anyone.
    package init(firstLength: Int = LinkFrame.maximumLength) {
        maximumLength = min(firstLength, LinkFrame.maximumLength)
    }

    /// Reads the next bytes, and passes on the frames that they complete, in order.
    ///
    /// - Throws: an error of `receive`, or the error of bytes that are no frames. No more frames are passed on after an
    ///   error.
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

    /// Takes the missing bytes of the begun frame off the front of `rest`. Returns the frame, or nil when bytes are still
    /// missing.
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

    /// Returns the length of the frame that begins here, including the length itself; nil when there are too few bytes to
    /// tell.
    private func length(_ bytes: UnsafeRawBufferPointer) throws(LinkError) -> Int? {
        guard bytes.count >= LinkFrame.lengthBytes else { return nil }
        let length = bytes.bigEndianNumber(at: 0)
        guard length <= maximumLength else {
            throw LinkError("a frame of \(length) bytes, and \(maximumLength) is the most")
        }
        return LinkFrame.lengthBytes + Int(length)
    }
}
