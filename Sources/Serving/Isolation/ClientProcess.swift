import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// A connection's access to the process of its client. The process is started where it doesn't run, and again where it was
/// lost.
///
/// Confined to the connection's loop.
final class ClientProcess: CustomStringConvertible {
    /// The client for people: `principal alice`, or the client's name in quotes.
    let client: String
    private let isolation: Isolation
    private let loop: EventLoop
    /// The process; nil until the connection has a channel to it, and once it is lost.
    private var child: IsolatedChild?
    /// The number of channels that were opened.
    private var connections = 0

    /// - Parameters:
    ///   - principal: the name of the client's token. All clients of a principal share one process.
    ///   - name: the client's own name, as it sent it.
    init(_ isolation: Isolation, principal: String?, name: String?, on loop: EventLoop) {
        let quoted = name.map { "\"\(VisibleText($0, maximumBytes: 64))\"" }
        client = principal.map { "principal \($0)" } ?? quoted ?? "clients without a name"
        self.isolation = isolation
        self.loop = loop
    }

    var description: String { child.map { "process \($0.process.processID)" } ?? "no process" }

    /// The longest message in bytes that the process may send: one with an event or a snapshot.
    var messageBytes: Int { isolation.limits.messageBytes + isolation.limits.initialBytes }

    /// Whether the sessions of the process are stored, so that they outlive it.
    var keepsSessions: Bool { isolation.keepsSessions }

    /// Opens a channel to the process. `didLoseChannel` or `leave` must follow for each.
    ///
    /// - Throws: the errors of `Isolation.connect`.
    func connect(as client: RelayedClient) throws(RPCError) -> LinkStream {
        let (child, stream) = try isolation.connect(to: self.client, as: client, on: loop)
        self.child = child
        connections += 1
        return stream
    }

    /// Handles the end of the channel.
    ///
    /// - Parameter then: called on the loop, unless the connection leaves before, with what became of the process, and
    ///   whether its sessions go on in another process.
    func didLoseChannel(hasHadViews: Bool, then: @escaping (_ reason: String, _ goesOn: Bool) -> Void) {
        guard let child else { return }
        let lost = connections
        let didEnd = LoopBound(
            { [self] (reason: String, goesOn: Bool) in
                guard self.child === child, connections == lost else { return }
                leave(hasHadViews: hasHadViews)
                then("the process of this client's sessions \(reason)", goesOn)
            }, loop: loop)
        child.whenEnded { [loop] ending, hadScenes in loop.execute { didEnd.value(ending, hadScenes) } }
        // The process may still run, and only the channel is gone.
        loop.schedule(after: isolation.limits.drainGrace) { [isolation] in
            didEnd.value("gave up the connection", isolation.hadScenes(child))
        }
    }

    /// Kills the process, as it sent something that is no message.
    func refuse() { child?.kill("it sent something that is no message") }

    /// Ends the use of the channel, as the client is gone.
    func leave(hasHadViews: Bool) {
        guard let child else { return }
        self.child = nil
        isolation.leave(child, hasHadViews: hasHadViews, on: loop)
    }

    /// Calls `body`, on any thread, once everything that was sent to the process is written.
    func afterWriting(_ body: @escaping @Sendable () -> Void) {
        guard let child else { return body() }
        child.link.afterWriting(body)
    }
}
