import JSON
import JSONRPC
import Transport
import ViewModelProtocol

/// One attempt to reach the server, and the connection that comes of it. Confined to its loop.
///
/// It reports to its core until it is closed, and keeps it as long: the loop keeps an open stream, the stream keeps its
/// connection, and that keeps the core.
final class ServerConnection {
    /// The longest message that is taken. The server bounds what it reads; a snapshot may be long.
    private static let messageBytes = 1 << 30
    /// The time that a program has to end after its connection was closed, before it is ended by signals.
    private static let grace = Duration.seconds(2)

    /// Nil once the connection is closed.
    private var core: ClientCore?
    private var stream: (any ByteStream)?
    private let peer = Peer(frames: .init(messageBytes: messageBytes))
    /// The length of the message that was too long to be sent.
    private var refusedBytes: Int?

    init(_ core: ClientCore) {
        self.core = core
    }

    /// Opens the stream. Calls `didOpen` of the core, or `didLose` with the reason.
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
        // Keeps the core until the program has ended, since its end is waited for.
        let process = try ChildProcess(command, on: loop, grace: Self.grace) { [self, core] ending in
            core?.didEndProgram(ending.words(for: command.first ?? "the program"))
            // The program's last output is read first. Others may hold its output, so the stream's end isn't waited
            // for.
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
        // It may come too late.
        guard let core else { return stream.close() }
        self.stream = stream
        stream.handler = self
        stream.start()
        core.didOpen()
    }

    /// Closes the connection; nothing is reported any more.
    func close() {
        core = nil
        peer.isPaused = true
        let stream = stream
        self.stream = nil
        stream?.close()
    }

    /// What the kernel or the peer hasn't taken yet.
    var unsentBytes: Int { stream?.unsentByteCount ?? 0 }

    /// Closes the connection after what is sent.
    func finish() {
        stream?.finish()
    }
}

// Messages out.
extension ServerConnection {
    /// Sends a request.
    ///
    /// - Returns: its id.
    /// - Throws: `RemoteError` when it is longer than the server takes; then nothing is sent.
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
        // A server that doesn't take a message can't find its end: the connection would be lost, again and again.
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
        // A message that was cut off is sent again, as part of what comes after the last number.
        core?.didLose(ClientLife.endOfConnection)
    }

    func streamDidSend(_ stream: any ByteStream) {}

    /// The server may have said why it goes.
    func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool { true }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        guard let core else { return }
        // Of a program, how it ended says more than which pipe broke first.
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
    /// How the program with this name ended, for people.
    fileprivate func words(for name: String) -> String {
        switch self {
        case .exited(let status): "\(name) ended with status \(status)"
        case .signaled(let number): "\(name) was ended by signal \(number)"
        }
    }
}
