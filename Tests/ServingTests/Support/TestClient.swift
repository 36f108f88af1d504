import SchemaValidation
import Synchronization
import Testing
import Transport

/// One client of a `TestServer`, in steps: send, expect, cut. What comes and isn't expected fails the next `expect`, and so
/// does what crosses and isn't in `Schemas/protocol.schema.json`.
final class TestClient: Sendable {
    /// The connection ended although more was expected.
    struct Ended: Error {
        let unread: String
    }

    private struct State {
        var bytes: [UInt8] = []
        var messages: [String] = []
        var isClosed = false
        var status: Int32?
        var waiter: CheckedContinuation<Void, Never>?
        var watch: ProtocolWatch?
        /// Whether messages were sent in pieces, whose answers the watch then can't tell.
        var sentPieces = false
        var complaintCount = 0
    }

    private static let schema = Result { try ProtocolSchema() }

    let framing: TestFraming
    private let loop: EventLoop
    private let state = Mutex(State())
    private let stream = Mutex<LoopBound<MemoryStream>?>(nil)

    init(framing: TestFraming, loop: EventLoop) {
        self.framing = framing
        self.loop = loop
        switch Self.schema {
        case .success(let schema): state.withLock { $0.watch = ProtocolWatch(schema) }
        case .failure(let error): Issue.record(error)
        }
    }

    /// On the loop.
    func begin(_ stream: MemoryStream) {
        self.stream.withLock { $0 = LoopBound(stream, loop: loop) }
        stream.handler = Receiver(self)
        stream.start()
    }

    /// Sends messages, all in one piece.
    func send(_ messages: String...) {
        state.withLock { state in
            for message in messages { state.watch?.clientSent(message) }
        }
        write(messages.flatMap { framing.frame($0) })
    }

    func send(bytes: [UInt8]) {
        state.withLock { $0.sentPieces = true }
        write(bytes)
    }

    private func write(_ bytes: [UInt8]) {
        perform { stream in stream.write { $0.append(contentsOf: bytes) } }
    }

    /// The client sends no more, and still reads.
    func endInput() {
        perform { $0.finishWriting() }
    }

    /// The connection is lost.
    func cut() {
        perform { $0.close() }
    }

    func pauseReading(_ isPaused: Bool) {
        perform { $0.isReadingPaused = isPaused }
    }

    /// The next message from the server.
    func next() async throws -> String {
        while true {
            let (message, end) = state.withLock { state -> (String?, Ended?) in
                if !state.messages.isEmpty { return (state.messages.removeFirst(), nil) }
                return (nil, state.isClosed ? Ended(unread: String(decoding: state.bytes, as: UTF8.self)) : nil)
            }
            reportComplaints()
            if let message { return message }
            if let end { throw end }
            // What never comes fails the test at its time limit, and not the whole run.
            try Task.checkCancellation()
            await wait { !$0.messages.isEmpty || $0.isClosed }
        }
    }

    /// The next messages must be exactly these, byte for byte.
    func expect(_ messages: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for message in messages {
            let actual = try await next()
            #expect(actual == message, sourceLocation: sourceLocation)
        }
    }

    /// The next message must be an error with this code. Returns the message.
    @discardableResult
    func expectError(
        _ code: Int, id: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let message = try await next()
        let start = #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":""#
        #expect(message.hasPrefix(start), "\(message)", sourceLocation: sourceLocation)
        return message
    }

    /// Nothing more comes: the answer to a `ping` is the next message.
    func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        send(#"{"jsonrpc":"2.0","id":"nothing","method":"ping"}"#)
        try await expect(#"{"jsonrpc":"2.0","id":"nothing","result":null}"#, sourceLocation: sourceLocation)
    }

    /// Waits until the server closed the connection; returns what came before and wasn't expected, and the status that a
    /// process with this connection alone would end with.
    func expectEnd(status: Int32? = nil, sourceLocation: SourceLocation = #_sourceLocation) async {
        await wait { $0.isClosed && $0.status != nil }
        reportComplaints(sourceLocation)
        let (messages, bytes, actual) = state.withLock { ($0.messages, $0.bytes, $0.status) }
        #expect(messages.isEmpty && bytes.isEmpty, "\(messages)", sourceLocation: sourceLocation)
        if let status { #expect(actual == status, sourceLocation: sourceLocation) }
    }

    func didEnd(status: Int32) {
        update { $0.status = status }
    }

    fileprivate func didRead(_ bytes: UnsafeRawBufferPointer) {
        var answer: [UInt8]?
        update { [framing] state in
            state.bytes.append(contentsOf: bytes)
            while true {
                if let close = framing.answerToClose(&state.bytes) { answer = close }
                guard let message = framing.unframe(&state.bytes) else { break }
                state.watch?.serverSent(message, knowsRequests: !state.sentPieces)
                state.messages.append(message)
            }
        }
        if let answer { write(answer) }
    }

    fileprivate func didClose() {
        update { $0.isClosed = true }
    }

    /// Once each, and in the test's task.
    private func reportComplaints(_ sourceLocation: SourceLocation = #_sourceLocation) {
        let complaints = state.withLock { state in
            let new = Array((state.watch?.complaints ?? []).dropFirst(state.complaintCount))
            state.complaintCount += new.count
            return new
        }
        for complaint in complaints { Issue.record("\(complaint)", sourceLocation: sourceLocation) }
    }

    private func update(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Ends early when the task is cancelled.
    private func wait(until isReached: (borrowing State) -> Bool) async {
        while !Task.isCancelled, !state.withLock({ isReached($0) }) {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isThere = state.withLock { state in
                        if isReached(state) || Task.isCancelled { return true }
                        state.waiter = continuation
                        return false
                    }
                    if isThere { continuation.resume() }
                }
            } onCancel: {
                update { _ in }
            }
        }
    }

    private func perform(_ body: @escaping @Sendable (MemoryStream) -> Void) {
        loop.execute { [self] in
            if let bound = stream.withLock({ $0 }) { body(bound.value) }
        }
    }
}

private final class Receiver: ByteStreamHandler {
    private let client: TestClient

    init(_ client: TestClient) {
        self.client = client
    }

    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        client.didRead(bytes)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        client.didClose()
        stream.finish()
    }

    func streamDidSend(_ stream: any ByteStream) {}

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        client.didClose()
    }
}
