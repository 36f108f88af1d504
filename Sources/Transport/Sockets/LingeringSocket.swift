import LibC

/// A socket whose stream has ended. It waits, for a short time, until the peer has ended too, so that the peer gets the last
/// bytes. The loop retains it.
final class LingeringSocket: Registrant {
    private let core: LoopCore
    private let channel: Channel
    private var descriptor: Descriptor?
    private var registration: RegistrationToken?
    private var timer: LoopTimer?

    static func close(_ descriptor: consuming Descriptor, on loop: EventLoop) {
        guard shutdown(descriptor.number, Int32(SHUT_WR)) == 0 else { return }
        LingeringSocket(descriptor, core: loop.core).begin(on: loop)
    }

    private init(_ descriptor: consuming Descriptor, core: LoopCore) {
        self.core = core
        channel = Channel(descriptor)
        self.descriptor = consume descriptor
    }

    private func begin(on loop: EventLoop) {
        let registration = core.register(self, descriptor: channel.number)
        self.registration = registration
        guard (try? core.setInterest(.read, of: registration)) != nil else { return end() }
        let bound = LoopBound(self, loop: loop)
        timer = loop.schedule(after: StreamLimits.lingerDuration) { bound.value.end() }
    }

    func didBecomeReady(_ readiness: Interest) {
        var isOver = false
        core.withScratch { scratch in
            switch channel.read(into: scratch) {
            case .bytes(let count): isOver = count == 0
            case .wouldBlock: isOver = false
            case .failed: isOver = true
            }
        }
        if isOver { end() }
    }

    func loopWillEnd() {
        end()
    }

    private func end() {
        if let registration { core.withdraw(registration) }
        registration = nil
        timer?.cancel()
        timer = nil
        descriptor = nil
    }
}
