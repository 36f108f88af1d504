/// One client that speaks HTTP: answers its requests in order, one after the other, until it or the server has had enough, or
/// it goes over to WebSocket.
///
/// Confined to its stream's loop. It becomes the stream's handler, which keeps it.
package final class HTTPConnection {
    /// What is done with a request.
    package enum Answer {
        case response(HTTPResponse)
        /// Goes over to WebSocket with a handshake that was checked; the closure has the stream, whose handler it must set
        /// before it returns, and start.
        case webSocket(WebSocketHandshake, accept: (WebSocketStream) -> Void)
    }

    /// Bounds on what a client may take.
    package struct Limits: Sendable {
        /// Of a request's header, in bytes.
        package var headerBytes = 8 << 10
        /// From a request's first byte to its last, and for the first of them.
        package var requestTime = Duration.seconds(10)
        /// From an answer to the next request.
        package var idleTime = Duration.seconds(60)
        /// Answers that wait for the client to read, in bytes; more requests aren't read before. Above the low water of streams,
        /// since below it nobody says that there is room again.
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

    /// On the stream's loop; the stream is started by whoever made it.
    ///
    /// - Parameter answer: called for each request that is well formed.
    package init(_ stream: any ByteStream, limits: Limits = Limits(), answer: @escaping (HTTPRequest) -> Answer) {
        self.stream = stream
        self.limits = limits
        self.answer = answer
        parser = HTTPRequestParser(maximumBytes: limits.headerBytes)
        stream.handler = self
        wait(limits.requestTime)
    }

    /// Takes bytes that came before the stream was this connection's.
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
            goOver(handshake, accept)
        }
    }

    private func send(_ response: HTTPResponse, isBodyLess: Bool = false, keepsConnection: Bool) {
        stream.write {
            response.append(
                to: &$0, isBodyLess: isBodyLess, keepsConnection: keepsConnection, date: HTTPDate.now)
        }
        if !keepsConnection { end() }
    }

    private func goOver(_ handshake: WebSocketHandshake, _ accept: (WebSocketStream) -> Void) {
        isEnding = true
        timer?.cancel()
        stream.write { handshake.appendResponse(to: &$0) }
        // It takes the place of this connection as the stream's handler.
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
        // A client that doesn't read its last answer isn't waited for either.
        after(limits.requestTime) { $0.stream.close() }
    }

    /// Whoever says nothing for so long is not waited for.
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

    /// A client may say that it asks no more, and still read.
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
