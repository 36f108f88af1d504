import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct ListenerTests {
        @Test(arguments: ["127.0.0.1", "::1", "localhost"], PollerKind.allCases)
        func `the address is what a client can connect to`(host: String, poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                let address = try await loop.run {
                    let listener = try Listener.tcp(host: host, port: 0, on: loop) { _ in }
                    #expect(listener.port != 0)
                    return (listener.address, listener.port)
                }
                let port = try #require(address.1)
                #expect(["127.0.0.1:\(port)", "[::1]:\(port)"].contains(address.0))
                if host != "localhost" { #expect(address.0.contains(host)) }
            }
        }

        @Test func `an address that can't be had is an error that names it`() async throws {
            try await withLoop(.default) { loop in
                try await loop.run {
                    let listener = try Listener.tcp(host: "127.0.0.1", port: 0, on: loop) { _ in }
                    let error = #expect(throws: SystemError.self) {
                        try Listener.tcp(host: "127.0.0.1", port: listener.port ?? 0, on: loop) { _ in }
                    }
                    // Two sockets may bind a port with SO_REUSEADDR, as long as one doesn't listen.
                    #expect(error?.description.hasSuffix("\(listener.address): Address already in use") == true)
                    #expect(throws: SystemError.self) {
                        try Listener.tcp(host: "no such host.invalid", port: 0, on: loop) { _ in }
                    }
                }
            }
        }

        @Test(arguments: PollerKind.allCases)
        func `connections are handed to the loops in turn`(poller: PollerKind) async throws {
            try await withLoop(poller) { first in
                try await withLoop(poller) { second in
                    let counts = [Counter(), Counter()]
                    let listener = try await first.run {
                        let listener = try Listener.tcp(
                            host: "127.0.0.1", port: 0, on: first, handingTo: [first, second]
                        ) {
                            stream in
                            counts[stream.loop === first ? 0 : 1].increment()
                            let recorder = Recorder(stream)
                            recorder.didEnd = { $0.stream.finish() }
                            stream.start()
                        }
                        return LoopBound(listener, loop: first)
                    }
                    let port = try await first.run { listener.value.port ?? 0 }
                    for _ in 0..<6 {
                        let client: LoopBound<Recorder> = try await first.wait(for: "a connection") { keep in
                            Socket.connect(host: "127.0.0.1", port: port, on: first) { result in
                                guard let stream = try? result.get() else { return }
                                keep(LoopBound(Recorder(stream), loop: first))
                            }
                        }
                        try await first.run {
                            client.value.stream.start()
                            client.value.stream.finishWriting()
                        }
                        try await client.until("the close", on: first) { $0.isClosed }
                    }
                    #expect(counts.map(\.value) == [3, 3])
                    try await first.run { listener.value.close() }
                }
            }
        }

        @Test func `to connect where nobody listens is an error`() async throws {
            try await withLoop(.default) { loop in
                let port = try await loop.run {
                    let listener = try Listener.tcp(host: "127.0.0.1", port: 0, on: loop) { _ in }
                    defer { listener.close() }
                    return listener.port ?? 0
                }
                let words: String = try await loop.wait(for: "the refusal") { keep in
                    Socket.connect(host: "127.0.0.1", port: port, on: loop) { result in
                        if case .failure(let error) = result { keep(error.description) }
                    }
                }
                #expect(words == "connect 127.0.0.1:\(port): Connection refused")
            }
        }

        /// In a process of its own, since it takes all descriptors away.
        @Test func `without descriptors a client is refused at once, and later ones are served`() async {
            await #expect(processExitsWith: .success) {
                let loop = try EventLoop(name: "exhausted")
                try loop.start()
                let failures = Counter()
                let listener = try await loop.run {
                    let listener = try Listener.tcp(
                        host: "127.0.0.1", port: 0, on: loop, didFail: { _ in failures.increment() },
                        accept: { stream in
                            Recorder(stream).send("welcome")
                            stream.finish()
                        })
                    return LoopBound(listener, loop: loop)
                }
                let port = try await loop.run { listener.value.port ?? 0 }
                let before = openDescriptors()
                var client = try connectBlocking(port: port)
                #expect(readAll(client) == "welcome")
                close(client)
                // Its socket lingers for a moment, and must not leave its place to the next one.
                try await expectDescriptors(before)

                var taken: [Int32] = []
                var words = "welcome"
                // Again if Dispatch gave back its timerfd in between, and the client got that place.
                for _ in 0..<10 where words == "welcome" {
                    client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                    taken += takeAllDescriptors()
                    try connectBlocking(client, port: port)
                    words = readAll(client)
                    close(client)
                }
                #expect(words == "", "closed without a word, and promptly")
                // The failure is reported right after the refusal, in the same callback.
                let failureCount = try await loop.run { failures.value }
                #expect(failureCount > 0)
                for descriptor in taken { close(descriptor) }

                client = try connectBlocking(port: port)
                #expect(readAll(client) == "welcome")
                close(client)
                loop.stop()
                await loop.join()
            }
        }
    }
}

private func takeAllDescriptors() -> [Int32] {
    var limit = rlimit(rlim_cur: 200, rlim_max: 200)
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = 200
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var taken: [Int32] = []
    while case let descriptor = dup(2), descriptor >= 0 { taken.append(descriptor) }
    return taken
}

func connectBlocking(port: UInt16) throws -> Int32 {
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try connectBlocking(client, port: port)
    return client
}

private func connectBlocking(_ client: Int32, port: UInt16) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    try #require(result == 0)
}

func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 100)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
}
