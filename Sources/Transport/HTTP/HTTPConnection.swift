/// A client that speaks HTTP. Its requests are answered in order, until the client ends, a limit is reached, or the
/// connection is upgraded to WebSocket.
///
/// Confined to its stream's loop. The connection becomes the handler of the stream, which retains it.
package final class HTTPConnection {
    /// The answer to a request.
    package enum Answer {
        case response(HTTPResponse)
        /// A response that is sent after a time, as the last one. Later requests aren't read.
        case last(HTTPResponse, after: Duration)
        /// An upgrade to WebSocket, by a handshake that was checked. `accept` must set the stream's handler and start the
        /// stream before it returns.
        case webSocket(WebSocketHandshake, accept: (WebSocketStream) -> Void)
    }

    /// A limit that a client exceeded, so that its connection ends. An idle client exceeds no limit.
    package enum Exceeded: Sendable {
        case headerBytes, requestTime
    }

    /// Limits of one client.
    package struct Limits: Sendable {
        /// The longest header of a request in bytes.
        package var headerBytes = 8 << 10
        /// The time from a request's first byte to its last, from the beginning to the first request, and for an answer of
        /// which the client reads nothing.
        package var requestTime = Duration.seconds(10)
        /// The time from an answer to the next request.
        package var idleTime = Duration.seconds(60)
        /// The bytes of unread answers beyond which the client's requests aren't read. Must be above
        /// `StreamLimits.lowWaterBytes`, since no stream below that reports that there is room again.
        package var unsentBytes = 128 << 10

        package init() {}
    }

    private let stream: any ByteStream
    private let limits: Limits
    private let didExceed: (Exceeded) -> Void
    private let answer: (HTTPRequest) -> Answer
    private let inputGuard: InputGuard?
    private var parser: HTTPRequestParser
    private var received: [UInt8] = []
    private var timer: LoopTimer?
    /// Whether the connection is between an answer and the first byte of the next request.
    private var isIdle = false
    private var isEnding = false

    /// Becomes the stream's handler. Called on the stream's loop. The caller starts the stream.
    ///
    /// - Parameters:
    ///   - budget: counts unfinished requests; nil for none.
    ///   - didExceed: called before the connection ends.
    ///   - answer: called for each well-formed request, in order.
    package init(
        _ stream: any ByteStream, limits: Limits = Limits(), budget: InputBudget? = nil,
        didExceed: @escaping (Exceeded) -> Void = { _ in }, answer: @escaping (HTTPRequest) -> Answer
    ) {
        self.stream = stream
        self.limits = limits
        self.didExceed = didExceed
        self.answer = answer
        parser = HTTPRequestParser(maximumBytes: limits.headerBytes)
        let stream = LoopBound(stream, loop: stream.loop)
        inputGuard = budget.map {
            // The time of a request has a timer of its own, which empty lines don't prolong.
            InputGuard(
                loop: stream.value.loop, budget: $0, messageBytes: limits.headerBytes, messageTime: limits.idleTime
            ) { _ in stream.value.close() }
        }
        stream.value.handler = self
        waitForRequest()
    }

    /// Takes bytes from the stream, or bytes that were read before the connection was made, for instance to find out that
    /// they are HTTP.
    package func receive(_ bytes: UnsafeRawBufferPointer) {
        guard !isEnding else { return }
        received.append(contentsOf: bytes)
        serve()
        inputGuard?.note(heldBytes: received.count, awaiting: nil)
    }

    /// Answers the complete requests, and keeps the rest.
    private func serve() {
        var used = 0
        defer { if !isEnding { received.removeFirst(used) } }
        while !isEnding, used < received.count {
            guard stream.unsentByteCount <= limits.unsentBytes else {
                stream.isReadingPaused = true
                return
            }
            switch parser.parse(received[used...]) {
            case .needsMore(let emptyBytes):
                used += emptyBytes
                if used < received.count, isIdle { waitForRequest() }
                return
            case .refused(let response, let isTooLong):
                if isTooLong { didExceed(.headerBytes) }
                send(response, keepsConnection: false)
            case .request(let request, let byteCount):
                used += byteCount
                take(request, rest: received[used...])
            }
        }
    }

    private func take(_ request: HTTPRequest, rest: ArraySlice<UInt8>) {
        switch answer(request) {
        case .response(let response):
            send(response, isBodyLess: request.method == "HEAD", keepsConnection: request.keepsConnection)
            if !isEnding { if rest.isEmpty { waitForNext() } else { waitForRequest() } }
        case .last(let response, let time):
            isEnding = true
            received = []
            inputGuard?.end()
            stream.isReadingPaused = true
            after(time) { $0.send(response, isBodyLess: request.method == "HEAD", keepsConnection: false) }
        case .webSocket(let handshake, let accept):
            upgrade(handshake, rest, accept)
        }
    }

    private func send(_ response: HTTPResponse, isBodyLess: Bool = false, keepsConnection: Bool) {
        stream.write {
            response.append(
                to: &$0, isBodyLess: isBodyLess, keepsConnection: keepsConnection, date: HTTPDate.now)
        }
        if !keepsConnection { end() }
    }

    private func upgrade(
        _ handshake: WebSocketHandshake, _ rest: ArraySlice<UInt8>, _ accept: (WebSocketStream) -> Void
    ) {
        isEnding = true
        timer?.cancel()
        inputGuard?.end()
        stream.write { handshake.appendResponse(to: &$0) }
        // The WebSocket replaces this connection as the stream's handler.
        let webSocket = WebSocketStream(stream)
        accept(webSocket)
        received = []
        rest.withUnsafeBytes { webSocket.receive($0) }
    }

    private func endLate() {
        if !isEnding { didExceed(.requestTime) }
        end()
    }

    private func end() {
        isEnding = true
        received = []
        inputGuard?.end()
        stream.finish()
        // A client that doesn't read its last answer has the same time.
        after(limits.requestTime) { $0.stream.close() }
    }

    /// Starts the time of a request, as one has begun.
    private func waitForRequest() {
        isIdle = false
        after(limits.requestTime) { $0.endLate() }
    }

    /// Starts the idle time, as all requests are answered.
    private func waitForNext() {
        isIdle = true
        watchReading(unsent: .max, until: stream.loop.now.advanced(by: limits.idleTime))
    }

    /// Ends the connection of a client that reads nothing of an answer for `requestTime`, or makes no request until the
    /// deadline.
    private func watchReading(unsent: Int, until deadline: MonotonicTime) {
        let left = Duration.nanoseconds(deadline.nanoseconds - stream.loop.now.nanoseconds)
        after(min(limits.requestTime, left)) { connection in
            let rest = connection.stream.unsentByteCount
            let isReading = rest == 0 || rest < unsent
            guard isReading else { return connection.endLate() }
            guard connection.stream.loop.now < deadline else { return connection.end() }
            connection.watchReading(unsent: rest, until: deadline)
        }
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

    /// Ends the connection, as the client makes no more requests. The client may still read.
    package func streamDidReachEnd(_ stream: any ByteStream) {
        end()
    }

    package func streamDidSend(_ stream: any ByteStream) {
        guard stream.isReadingPaused else { return }
        stream.isReadingPaused = false
        serve()
        if !isEnding { inputGuard?.note(heldBytes: received.count, awaiting: nil) }
    }

    package func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        isEnding = true
        timer?.cancel()
        inputGuard?.end()
    }
}
