import JSON
import JSONRPC
import Transport

extension ClientCore {
    /// How an end is told that nothing more is known of.
    static let endOfConnection = "the server ended the connection"
    /// A program whose connection was closed may take so long to end, before it is told to by signals.
    private static let grace = Duration.seconds(2)
    /// Of the protocol, as this client speaks it.
    static let protocolVersion = "1.0"

    /// Once. `completion` hears whether the server could be reached.
    func begin(_ completion: @escaping (Result<ServerDescription, any Error>) -> Void) {
        whenConnected.append(completion)
        tell(.state(.connecting))
        connect()
    }

    private func connect() {
        phase = .connecting
        generation += 1
        setTimer(options.patience) { core in
            core.lose("\(core.target.description) didn't answer within \(core.options.patience)")
        }
        do throws(RemoteError) {
            if let stream = try openAtOnce() { begin(on: stream) }
        } catch {
            lose("\(error)")
        }
    }

    /// A stream where there is one at once.
    private func openAtOnce() throws(RemoteError) -> (any ByteStream)? {
        let completion = { [generation] (result: Result<DescriptorStream, SystemError>) in
            self.didConnect(result, generation)
        }
        switch target {
        case .tcp(let host, let port): Socket.connect(host: host, port: port, on: loop, completion: completion)
        case .unix(let path): Socket.connect(path: path, on: loop, completion: completion)
        case .program(let command): return try start(command)
        case .streams(_, let open):
            do {
                return try open(loop)
            } catch {
                throw .unreachable("\(error)")
            }
        }
        return nil
    }

    private func start(_ command: [String]) throws(RemoteError) -> any ByteStream {
        let program = ProgramState(name: target.description)
        do throws(SystemError) {
            let process = try ChildProcess(command, on: loop, grace: Self.grace) { [weak self] ending in
                program.didEnd(ending)
                self?.didEndProgram()
            }
            program.didStart(process)
            self.program = program
            return process.stream
        } catch {
            throw .unreachable("\(error)")
        }
    }

    private func didConnect(_ result: Result<DescriptorStream, SystemError>, _ generation: Int) {
        guard generation == self.generation, case .connecting = phase else {
            if case .success(let stream) = result { stream.close() }
            return
        }
        switch result {
        case .success(let stream): begin(on: stream)
        case .failure(let error): lose("\(error)")
        }
    }

    private func begin(on stream: any ByteStream) {
        self.stream = stream
        // The server's own bound is for what it reads; a snapshot may be long.
        peer = Peer(frames: .init(messageBytes: 1 << 30))
        stream.handler = self
        stream.start()
        send(
            Call(
                MethodNames.initialize,
                params: { [options] params in
                    params.key("protocolVersion")
                    params.string(Self.protocolVersion)
                    params.key("clientInfo")
                    params.beginObject()
                    params.key("name")
                    params.string(options.name)
                    if let version = options.version {
                        params.key("version")
                        params.string(version)
                    }
                    params.endObject()
                    params.key("processId")
                    params.integer(Int(ThisProcess.id))
                    if let token = options.token {
                        params.key("token")
                        params.string(token)
                    }
                },
                reply: { [weak self] in self?.didInitialize($0) }))
    }

    private func didInitialize(_ result: Result<JSONValue, any Error>) {
        guard case .connecting = phase else { return }
        switch result {
        case .failure(let error): lose("\(error)", finally: error as? RemoteError)
        case .success(let value):
            guard let server = ServerDescription(value) else {
                return violate("its answer to initialize lacks protocolVersion or capabilities.viewModels")
            }
            self.server = server
            didConnect(to: server)
        }
    }

    private func didConnect(to server: ServerDescription) {
        cancelTimer()
        phase = .connected
        attempts = 0
        peer.notify(MethodNames.initialized, for: self) { _ in }
        tell(.state(.connected))
        let connecting = whenConnected
        whenConnected = []
        for action in connecting { action(.success(server)) }
        for record in views.values.sorted(by: { $0.id < $1.id }) { attachAgain(record) }
        let waiting = waitingCalls
        waitingCalls = []
        for call in waiting { ask(call) }
    }

    /// The server has sent what it may not: there is no sense in going on with it.
    func violate(_ reason: String) {
        peer.isPaused = true
        let error = RemoteError.invalidMessage(reason)
        lose("\(error)", finally: error)
    }

    /// The connection is over.
    ///
    /// - Parameter error: there is no way back, because of this.
    func lose(_ reason: String, finally error: RemoteError? = nil) {
        switch phase {
        case .connecting, .connected: break
        case .ending:
            dropStream()
            return finishIfGone()
        case .idle, .waiting, .closed: return
        }
        dropStream()
        // From here on no answer counts.
        phase = .waiting
        putBack(reason)
        if let error {
            end(because: error)
        } else if server == nil {
            end(because: .unreachable(reason))
        } else if !target.isLasting {
            end(because: .connectionLost(reason))
        } else {
            tryAgain(reason)
        }
    }

    func dropStream() {
        cancelTimer()
        generation += 1
        let stream = stream
        self.stream = nil
        stream?.close()
    }

    private func tryAgain(_ reason: String) {
        let delay = options.backoff.delay(attempts)
        attempts += 1
        tell(.state(.waiting(reason: reason, delay: delay)))
        setTimer(delay) { core in
            core.tell(.state(.connecting))
            core.connect()
        }
    }

    /// What was sent and not answered is sent again on the next connection, or fails where it might be done twice.
    private func putBack(_ reason: String) {
        let unanswered = calls.sorted { $0.value.ticket < $1.value.ticket }.map(\.value)
        calls = [:]
        attached = [:]
        for record in views.values { record.didLoseConnection() }
        for call in unanswered {
            if call.isViewEvent {
                // Otherwise its view sends it again.
                if call.isCancelled { cancelUnsent(call.ticket) }
            } else if call.isCancelled {
                call.reply(.failure(CancellationError()))
            } else if call.isRepeatable {
                waitingCalls.append(call)
            } else {
                call.reply(.failure(RemoteError.connectionLost(reason)))
            }
        }
    }

    private func didEndProgram() {
        // What it wrote last is read first. Others may hold its output, so its end isn't waited for.
        loop.atEndOfTurn { [self] in
            stream?.readAvailable()
            loop.atEndOfTurn { [self] in
                if stream == nil { finishIfGone() } else { lose(Self.endOfConnection) }
            }
        }
    }
}
