import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct DescriptorStreamTests {
        @Test(arguments: PollerKind.allCases)
        func `all that a turn writes goes out in one system call`(poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                var ends: [Int32] = [-1, -1]
                // A socket that keeps the bytes of each write apart.
                try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
                let (own, peer) = (ends[0], ends[1])
                defer { close(peer) }
                let stream = try await loop.run {
                    let stream = DescriptorStream(Descriptor(owning: own), peer: "pair", loop: loop)
                    let bound = LoopBound(stream, loop: loop)
                    for word in ["one ", "two ", "three "] { stream.write { $0.append(contentsOf: word.utf8) } }
                    loop.execute { bound.value.write { $0.append(contentsOf: "from a job ".utf8) } }
                    loop.atEndOfTurn { bound.value.write { $0.append(contentsOf: "at the end".utf8) } }
                    return bound
                }
                // In a later turn.
                try await loop.run { _ = stream.value }
                var buffer = [UInt8](repeating: 0, count: 100)
                let received = recv(peer, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                #expect(
                    String(decoding: buffer[..<max(0, received)], as: UTF8.self)
                        == "one two three from a job at the end")
                #expect(recv(peer, &buffer, buffer.count, Int32(MSG_DONTWAIT)) == -1)
            }
        }

        @Test func `a write inside a write ends the process, before a byte is lost`() async {
            await #expect(processExitsWith: .failure) {
                let loop = try EventLoop(name: "twice")
                loop.prepare {
                    let (stream, _) = MemoryStream.pair(loop: loop)
                    stream.write { outer in
                        outer.append(1)
                        stream.write { $0.append(2) }
                    }
                }
            }
        }

        @Test(arguments: PollerKind.allCases)
        func `a number that is reused in the turn is not mistaken for the old stream`(poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                let (first, second) = (try makeSocketPair(), try makeSocketPair())
                let newcomer = try await loop.run {
                    let old = [first.0, second.0].map { number in
                        Recorder(DescriptorStream(Descriptor(owning: number), peer: "old", loop: loop))
                    }
                    let (peer, newcomerPeer) = try makeSocketPair()
                    _ = Descriptor(owning: peer)
                    _ = newcomerPeer
                    let newcomer = LoopBound(Newcomer(peerNumber: newcomerPeer), loop: loop)
                    for recorder in old {
                        // Whichever is called first closes both; their numbers go to streams that have nothing to read.
                        recorder.didRead = { _, _ in
                            for recorder in old { recorder.stream.close() }
                            newcomer.value.open(on: loop)
                        }
                        recorder.stream.start()
                    }
                    // Both are ready in one turn.
                    _ = send(first.1, "x", 1, 0)
                    _ = send(second.1, "x", 1, 0)
                    return newcomer
                }
                defer {
                    close(first.1)
                    close(second.1)
                }
                try await loop.wait(for: "the newcomer") { keep in newcomer.value.whenOpen { keep(()) } }
                try await loop.run {}
                try await loop.run { newcomer.value.expectNothingRead() }
            }
        }

        @Test(arguments: PollerKind.allCases)
        func `the flags of a socket that a parent shares stay as they are`(poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                let (own, peer) = try makeSocketPair()
                defer { close(peer) }
                let shared = dup(own)
                defer { close(shared) }
                _ = try await loop.run {
                    let stream = try Stdio.stream(
                        input: Descriptor(owning: own), output: Descriptor(owning: dup(own)), on: loop)
                    let recorder = Recorder(stream)
                    stream.start()
                    recorder.send("x")
                    stream.readAvailable()
                    return LoopBound(recorder, loop: loop)
                }
                #expect(fcntl(shared, F_GETFL) & O_NONBLOCK == 0)
            }
        }
    }
}

/// Takes the numbers that just became free.
private final class Newcomer {
    private let peerNumber: Int32
    private var recorders: [Recorder] = []
    private var keep: (() -> Void)?

    init(peerNumber: Int32) {
        self.peerNumber = peerNumber
    }

    func open(on loop: EventLoop) {
        guard recorders.isEmpty else { return }
        for number in [dup(peerNumber), peerNumber] {
            // The peer of this one is closed: should it be read, it would be found at its end.
            let recorder = Recorder(DescriptorStream(Descriptor(owning: number), peer: "new", loop: loop))
            recorder.stream.isReadingPaused = true
            recorder.stream.start()
            recorders.append(recorder)
        }
        keep?()
    }

    func whenOpen(_ keep: @escaping () -> Void) {
        if recorders.isEmpty { self.keep = keep } else { keep() }
    }

    func expectNothingRead() {
        #expect(recorders.count == 2)
        for recorder in recorders { #expect(recorder.readCount == 0 && recorder.endCount == 0 && !recorder.isClosed) }
    }
}
