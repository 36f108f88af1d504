import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct EventLoopPrepareTests {
        @Test(arguments: PollerKind.allCases)
        func `what was prepared is served in the first turn, and its answer is sent by the end of that`(
            poller: PollerKind
        ) async throws {
            let loop = try EventLoop(name: "prepared", poller: poller)
            let (near, far) = try makeSocketPair()
            let peer = Descriptor(owning: near)
            #expect(write(peer.number, "ping", 4) == 4)
            loop.prepare {
                #expect(loop.isCurrent)
                let stream = DescriptorStream(Descriptor(owning: far), peer: "pair", loop: loop)
                stream.handler = Echo()
                stream.start()
            }
            #expect(!loop.isCurrent)
            let firstTurn = loop.endOfFirstTurn()
            #expect(!firstTurn.wait(atMost: .zero))
            loop.start()
            #expect(firstTurn.wait(atMost: deadline))
            var bytes = [UInt8](repeating: 0, count: 8)
            #expect(recv(peer.number, &bytes, bytes.count, Int32(MSG_DONTWAIT)) == 4)
            #expect(bytes.prefix(4) == [0x70, 0x69, 0x6E, 0x67])
            loop.stop()
            await loop.join()
        }

        @Test func `an error is handed on, and the thread is another loop's again`() throws {
            let (outer, inner) = (try EventLoop(name: "outer"), try EventLoop(name: "inner"))
            outer.prepare {
                #expect(throws: DeadlinePassed.self) {
                    try inner.prepare {
                        #expect(inner.isCurrent && !outer.isCurrent)
                        throw DeadlinePassed(description: "")
                    }
                }
                #expect(outer.isCurrent && !inner.isCurrent)
            }
        }

        @Test func `a loop that runs can't be prepared`() async {
            await #expect(processExitsWith: .failure) {
                let loop = try EventLoop(name: "running")
                loop.start()
                loop.prepare {}
            }
        }
    }
}

/// Sends back what it reads.
private final class Echo: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        stream.write { $0.append(contentsOf: bytes) }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {}
    func streamDidSend(_ stream: any ByteStream) {}
    func stream(_ stream: any ByteStream, didClose error: SystemError?) {}
}
