import LibC

extension DescriptorStream {
    package var unsentByteCount: Int { unsent.count }

    package func write(_ body: (inout [UInt8]) -> Void) {
        loop.preconditionIsCurrent()
        guard phase == .open, outputState == .open else { return }
        var buffer = unsent.takeBuffer(pool: &core.buffers)
        body(&buffer)
        unsent.giveBack(buffer)
        writeLater()
    }

    /// At the end of this turn; or, when the kernel takes nothing, as soon as it does again.
    func writeLater() {
        guard !isUnflushed, !isOutputBlocked else { return }
        isUnflushed = true
        core.writeAtEndOfTurn(self)
    }

    func writeAtTurnEnd() {
        isUnflushed = false
        writeUnsent()
    }

    /// One system call at most: when the kernel takes less than all, it is full, and asking again would cost a second one to
    /// hear so.
    func writeUnsent() {
        guard phase != .closed else { return }
        if !unsent.isEmpty {
            if unsent.count > StreamLimits.lowWaterBytes { isAboveLowWater = true }
            writeCallCount &+= 1
            switch unsent.withUnsafeBytes({ outputChannel.write($0) }) {
            case .bytes(let count):
                unsent.drop(count, pool: &core.buffers)
            case .wouldBlock:
                break
            case .failed(let code):
                return didFailToWrite(SystemError(code: code, call: "write", subject: peerDescription))
            }
        }
        let wasBlocked = isOutputBlocked
        isOutputBlocked = !unsent.isEmpty
        if !isOutputBlocked { didSendAll() }
        if isOutputBlocked != wasBlocked { updateInterest() }
        if isAboveLowWater { tellSent() }
    }

    private func didFailToWrite(_ error: SystemError) {
        guard phase == .open, handler?.stream(self, readsOnAfter: error) ?? false else { return close(error: error) }
        outputError = error
        unsent.removeAll(pool: &core.buffers)
        isOutputBlocked = false
        endOutput()
        updateInterest()
    }

    private func didSendAll() {
        if phase == .finishing {
            closeAfterLastByte()
        } else if outputState == .finishing {
            endOutput()
        }
    }

    private func endOutput() {
        outputState = .ended
        if hasTwoDescriptors {
            withdrawOutput()
            extras?.output = nil
        } else if outputChannel.isSocket {
            shutdown(outputChannel.number, Int32(SHUT_WR))
        }
        if hasReachedEnd { close(error: outputError) }
    }

    /// The descriptor of a socket outlives the stream for a moment unless the peer has ended (see `lingerDuration`).
    private func closeAfterLastByte() {
        if inputChannel.isSocket, !hasTwoDescriptors, !hasReachedEnd, let descriptor = input.take() {
            withdraw()
            LingeringSocket.close(descriptor, on: loop)
        }
        close(error: nil)
    }

    private func tellSent() {
        guard unsent.count <= StreamLimits.lowWaterBytes, phase == .open else { return }
        isAboveLowWater = false
        handler?.streamDidSend(self)
    }
}
