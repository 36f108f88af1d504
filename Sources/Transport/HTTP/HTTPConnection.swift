/// A client that speaks HTTP: answers its requests in order, until the client ends, a limit is reached, or the
/// connection is upgraded to WebSocket.
///
/// Confined to its stream's loop. It becomes the stream's handler, which keeps it.
package final class HTTPConnection {
    /// The answer to a request.
    package enum Answer {
        case response(HTTPResponse)
        /// An upgrade to WebSocket, by a handshake that was checked. `accept` must set the stream's handler and start
        /// it before it returns.
        case webSocket(WebSocketHandshake, accept: (WebSocketStream) -> Void)
    }

    /// Limits of one client.
    package struct Limits: Sendable {
        /// The longest header of a request.
        package var headerBytes = 8 << 10
        /// From a request's first byte to its last, and from the beginning to the first byte.
        package var requestTime = Duration.seconds(10)
        /// From an answer to the next request.
        package var idleTime = Duration.seconds(60)
        /// Answers that the client hasn't read yet; beyond that its requests aren't read. Must be above
        /// `StreamLimits.lowWaterBytes`, since below it no stream reports that there is room again.
        package var unsentBytes = 1 << 20

        package init() {}
    }

    private let stream: any ByteStream
    private let limits: Limits
    private let answer: (HTTPRequest) -> Answer
    private var parser: HTTPRequestParser
    private var received: [UInt8] = []
    private var timer: LoopTimer?
    private var isEnding = false

    /// On the stream's loop. The caller starts the stream.
    ///
    /// - Parameter answer: called for each well-formed request, in order.
    package init(_ stream: any ByteStream, limits: Limits = Limits(), answer: @escaping (HTTPRequest) -> Answer) {
        self.stream = stream
        self.limits = limits
        self.answer = answer
        parser = HTTPRequestParser(maximumBytes: limits.headerBytes)
        stream.handler = self
        wait(limits.requestTime)
    }

    /// Takes bytes that were read before the connection was made, for instance to find out that they are HTTP.
    package func receive(_ bytes: UnsafeRawBufferPointer) {
        guard !isEnding else { return }
        if received.isEmpty { wait(limits.requestTime) }
        received.append(contentsOf: bytes)
        serve()
    }

    private func serve() {
        while !isEnding, !received.isEmpty {
            guard stream.unsentByteCount <= limits.unsentBytes else {
                stream.isReadingPaused = true
                return
            }
            switch parser.parse(received) {
            case .needsMore:
                return
            case .refused(let response):
                send(response, keepsConnection: false)
            case .request(let request, let byteCount):
                received.removeFirst(byteCount)
                take(request)
            }
        }
    }

    private func take(_ request: HTTPRequest) {
        wait(received.isEmpty ? limits.idleTime : limits.requestTime)
        switch answer(request) {
        case .response(let response):
            send(response, isBodyLess: request.method == "HEAD", keepsConnection: request.keepsConnection)
        case .webSocket(let handshake, let accept):
            upgrade(handshake, accept)
        }
    }

    private func send(_ response: HTTPResponse, isBodyLess: Bool = false, keepsConnection: Bool) {
        stream.write {
            response.append(
                to: &$0, isBodyLess: isBodyLess, keepsConnection: keepsConnection, date: HTTPDate.now)
        }
        if !keepsConnection { end() }
    }

    private func upgrade(_ handshake: WebSocketHandshake, _ accept: (WebSocketStream) -> Void) {
        isEnding = true
        timer?.cancel()
        stream.write { handshake.appendResponse(to: &$0) }
        // Replaces this connection as the stream's handler.
        let webSocket = WebSocketStream(stream)
        accept(webSocket)
        let rest = received
        received = []
        rest.withUnsafeBytes { webSocket.receive($0) }
    }

    private func end() {
        isEnding = true
        received = []
        stream.finish()
        // A client that doesn't read its last answer has the same time.
        after(limits.requestTime) { $0.stream.close() }
    }

    /// Ends the connection of a client that is silent for so long.
    private func wait(_ time: Duration) {
        after(time) { $0.end() }
    }

    private func after(_ time: Duration, _ action: @escaping @Sendable (HTTPConnection) -> Void) {
        timer?.cancel()
        let bound = LoopBound(self, loop: stream.loop)
        timer = stream.loop.schedule(after: time) { action(bound.value) }
    }
}

extension HTTPConnection: ByteStreamHandler {
    package func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        receive(bytes)
    }

    /// The client makes no more requests, and may still read.
    package func streamDidReachEnd(_ stream: any ByteStream) {
        end()
    }

    package func streamDidSend(_ stream: any ByteStream) {
        guard stream.isReadingPaused else { return }
        stream.isReadingPaused = false
        serve()
    }

    package func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        isEnding = true
        timer?.cancel()
    }
}
