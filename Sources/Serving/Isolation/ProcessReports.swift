import JSON
import Sessions
import Transport
import ViewModelProtocol

/// Reports the figures of this process, which serves one client, to the server: twice a second when they have changed, and
/// once before the end. Confined to its loop. No handler runs there, so a handler that hangs is reported, too.
///
/// The server never asks for a report, and this process never waits for the server: where a report can't be sent, a newer one
/// is sent the next time.
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

/// The view event whose handler ran when a process crashed, as the process reports it at its end.
struct LastEvent: Codable, Sendable {
    let lastEvent: CrashedEvent
    /// The cause in words, as in "orders.cancelOrder trapped (SIGILL)".
    let cause: String

    /// - Parameter note: the text of the event. The value is nil where this isn't an event.
    init?(_ note: [UInt8], _ cause: String) {
        guard let event = CrashedEvent(text: note) else { return nil }
        (lastEvent, self.cause) = (event, cause)
    }

    /// Reads a report; nil where it isn't one of a crash.
    init?(_ report: UnsafeRawBufferPointer) {
        guard let text = try? JSONText(validating: report),
            let last = text.withValue({ try? ValueDecoder().decode(LastEvent.self, from: $0) })
        else { return nil }
        self = last
    }

    var text: [UInt8]? { try? JSONText(encoding: self).bytes }
}
