import LibC

extension DescriptorStream {
    package func readAvailable() {
        loop.preconditionIsCurrent()
        read(upTo: StreamLimits.drainBytes, untilEmpty: true)
    }

    /// Reads and delivers, until nothing is left, the limit is met, or the handler has had enough.
    ///
    /// Without `untilEmpty` a read that didn't fill the buffer counts as the last: asking once more would cost a system call
    /// for nothing nearly every time, and if there is more, the level-triggered poller says so.
    func read(upTo limit: Int, untilEmpty: Bool) {
        guard !isDelivering else { return }
        core.withScratch { scratch in
            var left = limit
            while wantsToRead, left > 0 {
                switch inputChannel.read(into: scratch) {
                case .bytes(0):
                    reachEnd()
                case .bytes(let count):
                    left -= count
                    deliver(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
                    if !untilEmpty, count < scratch.count { return }
                case .wouldBlock:
                    return
                case .failed(let code):
                    didFailToRead(code)
                }
            }
        }
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        isDelivering = true
        handler?.stream(self, didRead: bytes)
        isDelivering = false
    }

    private func reachEnd() {
        hasReachedEnd = true
        updateInterest()
        handler?.streamDidReachEnd(self)
        if outputState == .ended { close(error: outputError) }
    }

    /// A terminal that hung up (EIO) and an input of its own that fails are the end of input: what is unsent may still reach
    /// someone. A socket that fails has failed both ways.
    private func didFailToRead(_ code: Int32) {
        if code == EIO || hasTwoDescriptors {
            reachEnd()
        } else {
            close(error: SystemError(code: code, call: "read", subject: peerDescription))
        }
    }
}

extension LoopCore {
    /// Lends the loop's read buffer, or another one when a handler that has it asks a second stream to read.
    func withScratch(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
        guard !isScratchLent else {
            let other = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.scratchBytes, alignment: 16)
            defer { other.deallocate() }
            return body(other)
        }
        isScratchLent = true
        defer { isScratchLent = false }
        body(scratch)
    }
}
