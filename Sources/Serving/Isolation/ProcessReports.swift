import JSON
import Transport
import ViewModelProtocol

/// Tells the server the figures of this process, which serves one client of it: when they have changed, twice a second, and once
/// before the end. Confined to its loop, on which no handler runs, so that one that hangs is told of, too.
///
/// The server never asks and never waits, and this process doesn't wait for the server: a report that can't be sent is made
/// anew the next time.
final class ProcessReports {
    private static let interval = Duration.milliseconds(500)

    private let core: ServerCore
    private let receiver: DescriptorReceiver
    private let loop: EventLoop
    private var last = ProcessCounts()

    init(_ core: ServerCore, by receiver: DescriptorReceiver, on loop: EventLoop) {
        (self.core, self.receiver, self.loop) = (core, receiver, loop)
    }

    func begin() {
        let bound = LoopBound(self, loop: loop)
        loop.schedule(after: Self.interval) {
            bound.value.report()
            bound.value.begin()
        }
    }

    func report() {
        let counts = ProcessCounts(of: core)
        guard counts != last, let text = try? JSONText(encoding: counts), receiver.report(text.bytes) else { return }
        last = counts
    }
}
