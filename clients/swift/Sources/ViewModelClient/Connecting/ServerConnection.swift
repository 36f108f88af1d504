import JSON
import JSONRPC
import Transport
import ViewModelProtocol

/// One attempt to reach the server, and the connection that results. Confined to its loop.
///
/// It reports to its core until it is closed, and retains the core until then: the loop retains an open stream, the stream its
/// connection, and the connection the core.
final class ServerConnection {
    /// The longest message that is accepted, in bytes. It may be a long snapshot; the server's own limit is for what it reads.
    private static let messageBytes = 1 << 30
    /// The time that a program has to end after its connection was closed, before it gets a signal.
    private static let grace = Duration.seconds(2)

    /// The core; nil once the connection is closed.
    private var core: ClientCore?
    private var stream: (any ByteStream)?
    private let peer = Peer(frames: .init(messageBytes: messageBytes))
    /// The length of a message that was too long to be sent, in bytes.
    private var refusedBytes: Int?

    init(_ core: ClientCore) {
        self.core = core
    }

    /// Opens the stream. Calls the core's `didOpen`, or its `didLose` with the reason.
    func open(_ target: ClientTarget, on loop: EventLoop) {
        switch target {
        case .tcp(let host, let port): Socket.connect(host: host, port: port, on: loop, completion: take)
        case .unix(let path): Socket.connect(path: path, on: loop, completion: take)
        case .program(let command):
            do throws(SystemError) {
                begin(on: try start(command, on: loop))
            } catch {
                core?.didLose("\(error)")
            }
        case .streams(_, let open):
            do {
                begin(on: try open(loop))
            } catch {
                core?.didLose("\(error)")
            }
        }
    }

    private func start(_ command: [String], on loop: EventLoop) throws(SystemError) -> any ByteStream {
        // Retains the core until the program has ended, since the core waits for that.
        let process = try ChildProcess(command, on: loop, grace: Self.grace) { [self, core] ending in
            core?.didEndProgram(ending.words(for: command.first ?? "the program"))
            // The program's last output is read first. Other processes may hold its output open, so the stream's end isn't
            // waited for.
            loop.atEndOfTurn {
                self.stream?.readAvailable()
                loop.atEndOfTurn { self.core?.didLose(ClientLife.endOfConnection) }
            }
        }
        return process.stream
    }

    private func take(_ result: Result<DescriptorStream, SystemError>) {
        switch result {
        case .success(let stream): begin(on: stream)
        case .failure(let error): core?.didLose("\(error)")
        }
    }

    private func begin(on stream: any ByteStream) {
        // The stream may be open only after the connection was closed.
        guard let core else { return stream.close() }
        self.stream = stream
        stream.handler = self
        stream.start()
        core.didOpen()
    }

    /// Closes the connection, and reports nothing any more.
    func close() {
        core = nil
        peer.isPaused = true
        let stream = stream
        self.stream = nil
        stream?.close()
    }

    /// The number of bytes that the kernel or the peer hasn't taken yet.
    var unsentBytes: Int { stream?.unsentByteCount ?? 0 }

    /// Closes the connection once everything is sent.
    func finish() {
        stream?.finish()
    }
}

// Messages out.
extension ServerConnection {
    /// Sends a request.
    ///
    /// - Returns: the request's id.
    /// - Throws: `RemoteError` if the request is longer than the server accepts; then nothing is sent.
    func send(_ request: ClientRequest) throws(RemoteError) -> RequestID {
        let id = request.send(peer, self)
        guard let bytes = refusedBytes else { return id }
        refusedBytes = nil
        throw .tooLong(bytes, limit: core?.server?.messageBytes ?? 0)
    }

    func notify<Method: ClientMethod>(_ method: Method.Type, _ params: Method.Params) {
        peer.notify(method, params, for: self)
    }

    func peer(_ peer: Peer, send message: UnsafeRawBufferPointer) {
        // A server can't find the end of a message that it rejects as too long, so the connection would be lost, again and
        // again.
        if let limit = core?.server?.messageBytes, message.count > limit {
            refusedBytes = message.count
            return
        }
        stream?.write { FrameEncoder(.lines).append(message, to: &$0) }
    }
}

extension ServerConnection: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        core?.didHear()
        peer.receive(bytes, for: self)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        // An event that was cut off isn't lost: a view that attaches again gets all events after its last one.
        core?.didLose(ClientLife.endOfConnection)
    }

    func streamDidSend(_ stream: any ByteStream) {}

    /// Lets the stream read on after an error, since the server may have sent its reason for leaving.
    func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool { true }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        guard let core else { return }
        // For a program, how it ended says more than which pipe broke first.
        let reason = core.target.isLasting ? error.map { "\($0)" } : nil
        core.didLose(reason ?? ClientLife.endOfConnection)
    }
}

// Messages in.
extension ServerConnection: PeerHandler {
    func peer(_ peer: Peer, didReceiveRequest method: MethodName, params: JSONValue?, call: Call) {
        if method == Ping.name {
            peer.answer(call, for: self) { $0.null() }
        } else {
            peer.answer(call, for: self, error: RPCError(.methodNotFound, "a client has no method \"\(method)\""))
        }
    }

    func peer(_ peer: Peer, didReceiveNotification method: MethodName, params: JSONValue?) {
        guard let core, let params else { return }
        core.take(method, params)
    }

    func peer(_ peer: Peer, didReceiveCancellationOf id: RequestID) {}

    func peerDidSendBatch(_ peer: Peer, _ batch: Int) {}

    func peer(_ peer: Peer, didReceive response: Response, to id: RequestID) {
        core?.take(response, to: id)
    }

    func peer(_ peer: Peer, didIgnore reason: String) {
        core?.options.receive(.ignored(reason))
    }

    func peer(_ peer: Peer, didRefuse error: RPCError) {
        core?.violate(error.message)
    }

    func peerDidLoseFraming(_ peer: Peer) {}
}

extension ChildProcess.Ending {
    /// Returns how the program ended, for people.
    fileprivate func words(for name: String) -> String {
        switch self {
        case .exited(let status): "\(name) ended with status \(status)"
        case .signaled(let number): "\(name) was ended by signal \(number)"
        }
    }
}
