import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// The process of a client, as one connection of the client has it: started where it isn't there, again where it was lost.
///
/// Confined to the connection's loop.
final class ClientProcess: CustomStringConvertible {
    /// Whose process it is, for people: `principal alice`, or the client's name in quotes.
    let client: String
    private let isolation: Isolation
    private let loop: EventLoop
    /// Nil until it is connected to, and once it is lost.
    private var child: IsolatedChild?
    /// How often it was connected to.
    private var connections = 0

    /// - Parameters:
    ///   - principal: the name of the client's token. All its clients have one process.
    ///   - name: of the client, as it says.
    init(_ isolation: Isolation, principal: String?, name: String?, on loop: EventLoop) {
        let quoted = name.map { "\"\(VisibleText($0, maximumBytes: 64))\"" }
        client = principal.map { "principal \($0)" } ?? quoted ?? "clients without a name"
        self.isolation = isolation
        self.loop = loop
    }

    var description: String { child.map { "process \($0.process.processID)" } ?? "no process" }

    /// The longest message that comes of it: one with an event or a snapshot.
    var messageBytes: Int { isolation.limits.messageBytes + isolation.limits.initialBytes }

    /// Whether what is stored of its sessions outlives it.
    var keepsSessions: Bool { isolation.keepsSessions }

    /// Opens a channel to it. Each is followed by `didLoseChannel` or `leave`.
    ///
    /// - Throws: as `Isolation.connect`.
    func connect(as client: RelayedClient) throws(RPCError) -> LinkStream {
        let (child, stream) = try isolation.connect(to: self.client, as: client, on: loop)
        self.child = child
        connections += 1
        return stream
    }

    /// The channel has ended.
    ///
    /// - Parameter then: called on the loop, unless the connection leaves before, with what became of the process, and whether
    ///   sessions of it go on in another one.
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
        // The process is there, and only the channel is gone.
        loop.schedule(after: isolation.limits.drainGrace) { [isolation] in
            didEnd.value("gave up the connection", isolation.hadScenes(child))
        }
    }

    /// Something came from it that is no message.
    func refuse() { child?.kill("it sent something that is no message") }

    /// The client is gone.
    func leave(hasHadViews: Bool) {
        guard let child else { return }
        self.child = nil
        isolation.leave(child, hasHadViews: hasHadViews, on: loop)
    }

    /// Calls `body` on any thread once the process has what was sent to it.
    func afterWriting(_ body: @escaping @Sendable () -> Void) {
        guard let child else { return body() }
        child.link.afterWriting(body)
    }
}
