import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct LinkTableTests {
        private static let token: [UInt8] = [1, 2, 3]

        /// A far server on a port of its own, which counts its links.
        private struct FarServer {
            let address: SocketAddress
            let accepted: Counter
            let listener: LoopBound<Listener>
            let links: LoopBound<Links>
        }

        private final class Links {
            var all: [Link] = []
        }

        private func serve(on loop: EventLoop) async throws -> FarServer {
            let accepted = Counter()
            return try await loop.run {
                let links = LoopBound(Links(), loop: loop)
                let listener = try Listener.tcp(host: "127.0.0.1", port: 0, on: loop) { stream in
                    accepted.increment()
                    links.value.all.append(
                        Link(accepting: stream, token: Self.token, settings: .patient) { _, makeStream in
                            makeStream(loop, "far").start()
                        })
                }
                let address = try SocketAddress.resolve(host: "127.0.0.1", port: listener.port ?? 0)[0]
                return FarServer(
                    address: address, accepted: accepted, listener: LoopBound(listener, loop: loop), links: links)
            }
        }

        private func link(
            _ table: LinkTable, to address: SocketAddress, token: [UInt8] = Self.token
        ) async -> Result<Link, SystemError> {
            await withCheckedContinuation { continuation in
                table.withLink(to: address, token: token) { continuation.resume(returning: $0) }
            }
        }

        @Test func `callers get the same link, from any thread`() async throws {
            try await withLoop(.epoll) { loop in
                let server = try await serve(on: loop)
                let table = LinkTable(on: loop, settings: .patient)
                let links = await withTaskGroup(of: Result<Link, SystemError>.self) { group in
                    for _ in 0..<20 { group.addTask { await link(table, to: server.address) } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                let first = try links[0].get()
                for link in links { #expect(try link.get() === first) }
                #expect(try await link(table, to: server.address).get() === first)
                #expect(server.accepted.value == 1)
            }
        }

        @Test func `a link that was lost is forgotten`() async throws {
            try await withLoop(.epoll) { loop in
                let server = try await serve(on: loop)
                let table = LinkTable(on: loop, settings: .patient)
                let first = try await link(table, to: server.address).get()
                let channel = try await loop.run {
                    LoopBound(Recorder(first.openChannel(payload: [], on: loop, peer: "near")), loop: loop)
                }
                try await loop.run { server.links.value.all[0].close() }
                try await channel.until("the close", on: loop) { $0.isClosed }
                while try await link(table, to: server.address).get() === first { try await loop.turns(1) }
                #expect(server.accepted.value == 2)
            }
        }

        @Test func `a connect that fails is reported to all who wait, and the next one tries again`() async throws {
            try await withLoop(.epoll) { loop in
                let server = try await serve(on: loop)
                try await loop.run { server.listener.value.close() }
                let table = LinkTable(on: loop, settings: .patient)
                for _ in 0..<2 {
                    async let first = link(table, to: server.address)
                    async let second = link(table, to: server.address)
                    for result in await [first, second] {
                        #expect(throws: SystemError.self) { try result.get() }
                    }
                }
            }
        }

        @Test func `a token that is refused is reported`() async throws {
            try await withLoop(.epoll) { loop in
                let server = try await serve(on: loop)
                let table = LinkTable(on: loop, settings: .patient)
                let result = await link(table, to: server.address, token: [9])
                guard case .failure(let error) = result else { return #expect(Bool(false), "a link") }
                #expect(error.code == EACCES || error.code == ECONNRESET, "\(error)")
                // Another token is another link.
                _ = try await link(table, to: server.address).get()
            }
        }

        @Test func `a table that is closed closes its links and makes none`() async throws {
            try await withLoop(.epoll) { loop in
                let server = try await serve(on: loop)
                let table = LinkTable(on: loop, settings: .patient)
                let link = try await link(table, to: server.address).get()
                let channel = try await loop.run {
                    LoopBound(Recorder(link.openChannel(payload: [], on: loop, peer: "near")), loop: loop)
                }
                table.close()
                try await channel.until("the close", on: loop) { $0.isClosed }
                let late = await self.link(table, to: server.address)
                #expect(throws: SystemError.self) { try late.get() }
            }
        }
    }
}
