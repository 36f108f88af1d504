import Hosting
import Serving
import Transcripts
import Transport

/// Records clients that connect to a socket, each with a connection of its own to the server.
///
/// Confined to its loop; its listeners retain it.
final class RecordedSockets {
    /// The time that a server may go on when its client is gone, and that writing may take at the end.
    private static let grace: Duration = .seconds(2)

    private let recording: Recording
    private let target: [SocketAddress]
    private let loop: EventLoop
    private let end: EndOfProcess
    private var listeners: [Listener] = []
    private var proxies: [Int: RecordingProxy] = [:]
    private var isEnding = false

    init(_ recording: Recording, to target: [SocketAddress], on loop: EventLoop, end: EndOfProcess) {
        self.recording = recording
        self.target = target
        self.loop = loop
        self.end = end
    }

    func listen(_ addresses: [TCPAddress], _ paths: [String]) throws {
        // Signals are watched first, since one may come as soon as the addresses are printed.
        _ = try SignalWatcher(on: loop) { [self] in didReceive($0) }
        let bound = LoopBound(self, loop: loop)
        for address in addresses {
            didListen(
                try Listener.tcp(
                    host: address.host, port: address.port, on: loop, didFail: { StandardError.write("\($0)") },
                    accept: { bound.value.accept($0) }))
        }
        for path in paths {
            didListen(
                try Listener.unix(
                    path: path, on: loop, didFail: { StandardError.write("\($0)") },
                    accept: { bound.value.accept($0) }))
        }
    }

    private func didListen(_ listener: Listener) {
        listeners.append(listener)
        StandardError.write("listening on \(listener.address)")
    }

    /// Connects a client to the server. Nothing is read from the client before the server is connected.
    private func accept(_ client: DescriptorStream) {
        Socket.connect(to: target, on: loop) { [self] result in
            switch result {
            case .success(let server): begin(client, server)
            case .failure(let error):
                StandardError.write("\(client.peerDescription): \(error)")
                client.close()
            }
        }
    }

    private func begin(_ client: DescriptorStream, _ server: DescriptorStream) {
        let connection = recording.connect()
        proxies[connection.number] = RecordingProxy(
            client: client, server: server, as: connection, grace: Self.grace,
            didClose: { [self] in didClose(connection.number) })
        if isEnding { proxies[connection.number]?.finish() }
    }

    private func didClose(_ connection: Int) {
        proxies[connection] = nil
        finishIfOver()
    }

    private func didReceive(_ signal: Int32) {
        guard !isEnding else { return end.finish(with: .success(128 + signal)) }
        isEnding = true
        for listener in listeners { listener.close() }
        for proxy in proxies.values { proxy.finish() }
        loop.schedule(after: Self.grace) { [end] in end.finish(with: .success(0)) }
        finishIfOver()
    }

    private func finishIfOver() {
        if isEnding, proxies.isEmpty { end.finish(with: .success(0)) }
    }
}
