import LibC

/// Reports the end of a process by a pidfd, so without polling, and without confusion when the process ID is reused.
///
/// The loop retains the watcher until the process has ended or the watcher is closed.
package final class ProcessWatcher: Registrant {
    private let loop: EventLoop
    private var didEnd: (() -> Void)?
    private var descriptor: Descriptor?
    private var registration: RegistrationToken?

    /// Begins to watch a process; nil when the process isn't visible from here: it has ended, its ID belongs to another
    /// container, or the system can't make a pidfd. Called on the loop only.
    ///
    /// - Parameter didEnd: called once, on the loop. A process that its parent hasn't waited for yet (a zombie) has ended.
    package init?(pid: Int32, on loop: EventLoop, didEnd: @escaping () -> Void) {
        loop.preconditionIsCurrent()
        guard pid > 0, let descriptor = try? Descriptor(clinux_pidfd_open(pid), "pidfd_open") else { return nil }
        self.loop = loop
        self.didEnd = didEnd
        let number = descriptor.number
        self.descriptor = consume descriptor
        let registration = loop.core.register(self, descriptor: number)
        self.registration = registration
        guard (try? loop.core.setInterest(.read, of: registration)) != nil else {
            close()
            return nil
        }
    }

    /// Stops watching. Called on the loop only; more than once is fine.
    package func close() {
        loop.preconditionIsCurrent()
        if let registration { loop.core.withdraw(registration) }
        registration = nil
        descriptor = nil
        didEnd = nil
    }

    func loopWillEnd() {
        close()
    }

    func didBecomeReady(_ readiness: Interest) {
        let didEnd = didEnd
        close()
        didEnd?()
    }
}
