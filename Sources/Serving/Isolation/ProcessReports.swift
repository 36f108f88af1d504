import JSON
import Sessions
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

/// The event in whose handler a process ended, as it tells the server at its end.
struct LastEvent: Codable, Sendable {
    let lastEvent: CrashedEvent
    /// "orders.cancelOrder trapped (SIGILL)".
    let cause: String

    /// - Parameter note: the text of the event; nil where it is none.
    init?(_ note: [UInt8], _ cause: String) {
        guard let event = CrashedEvent(text: note) else { return nil }
        (lastEvent, self.cause) = (event, cause)
    }

    /// Nil where a report isn't one.
    init?(_ report: UnsafeRawBufferPointer) {
        guard let text = try? JSONText(validating: report),
            let last = text.withValue({ try? ValueDecoder().decode(LastEvent.self, from: $0) })
        else { return nil }
        self = last
    }

    var text: [UInt8]? { try? JSONText(encoding: self).bytes }
}
