import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct ListeningSocketTests {
        /// As one server after the other has the socket that a supervisor keeps.
        @Test func `a client that connects between two listeners is served by the second one`() async throws {
            try await withLoop(.default) { loop in
                let (port, number) = try await loop.run {
                    let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
                    return (socket.address.port ?? 0, dup(socket.number))
                }
                defer { close(number) }
                for name in ["first", "second"] {
                    // Nobody accepts, and nobody refuses.
                    let client = try connectBlocking(port: port)
                    let listener = try await loop.run {
                        let socket = try ListeningSocket(inherited: dup(number))
                        #expect(socket.isLocal && !socket.isUnix)
                        let listener = try Listener.over(socket, on: loop) { stream in
                            Recorder(stream).send(name)
                            stream.finish()
                        }
                        #expect(listener.port == port && listener.address == "127.0.0.1:\(port)")
                        return LoopBound(listener, loop: loop)
                    }
                    #expect(readAll(client) == name)
                    close(client)
                    try await loop.run { listener.value.close() }
                }
            }
        }

        @Test func `what isn't a socket that listens is refused with words`() {
            let file = open("/dev/null", O_RDONLY)
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            for (number, words) in [(file, "Socket operation on non-socket"), (socket, "ListenStream=")] {
                let error = #expect(throws: SystemError.self) { _ = try ListeningSocket(inherited: number) }
                #expect(error?.description.contains(words) == true, "\(String(describing: error))")
            }
        }

        @Test(arguments: [("127.0.0.1", true), ("::1", true), ("0.0.0.0", false), ("::", false)])
        func `an address says whether other machines can reach it`(_ host: String, _ isLocal: Bool) throws {
            #expect(try ListeningSocket(host: host, port: 0).isLocal == isLocal)
        }

        @Test func `a program gets the socket as its descriptor 3`() async throws {
            try await withLoop(.default) { loop in
                let link: String = try await loop.wait(for: "its output") { keep in
                    let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
                    let script = "readlink /proc/$$/fd/3"
                    let child = try ChildProcess(["sh", "-c", script], passing: socket.number, on: loop) { _ in }
                    let recorder = Recorder(child.stream)
                    recorder.didEnd = { recorder in keep(recorder.text) }
                    child.stream.start()
                }
                #expect(link.hasPrefix("socket:["), "\(link)")
            }
        }
    }
}
