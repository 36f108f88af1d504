import Serving
import Sessions
import Stores
import Synchronization
import Transport

/// Servers with one store, which reach each other by their names.
final class Network: Sendable {
    struct Member {
        let server: TestServer
        let journal: Journal
    }

    let holders = SharedStore.Holders()
    private let store = MemoryStore()
    private let members = Mutex<[String: Member]>([:])
    /// Nil once no server reaches another.
    private let links = Mutex<[Link]?>([])
    private static let token = Array("token".utf8)
    private let register: @Sendable (inout Registry) -> Void

    /// - Parameter register: adds view models to the examples of each server.
    init(register: @escaping @Sendable (inout Registry) -> Void = { _ in }) {
        self.register = register
    }

    /// Made when it is first asked for.
    func member(_ name: String) throws -> Member {
        if let member = members.withLock({ $0[name] }) { return member }
        let journal = try Journal(
            SharedStore(store, holders, name: name, isLinked: true), retryDelay: .milliseconds(1), now: { 1_000 })
        let server = try TestServer(
            journal: journal, keyPrefix: "\(name)-",
            links: TestServer.Links { loops in
                ServerLinks(token: Self.token, loops: loops) { [weak self] in self?.connect(to: $0, then: $1) ?? $1(nil)
                }
            }, register: register)
        let member = Member(server: server, journal: journal)
        members.withLock { $0[name] = member }
        return member
    }

    /// The link is on the loop of the server that it goes to.
    private func connect(to name: String, then: @escaping @Sendable (Link?) -> Void) {
        guard let server = members.withLock({ $0[name]?.server }) else { return then(nil) }
        let loop = server.loops[0]
        loop.execute { [self] in
            let (here, there) = MemoryStream.pair(loop: loop)
            let link = Link(connecting: here, token: Self.token)
            let isReached = links.withLock { $0?.append(link) != nil }
            guard isReached else { return then(nil) }
            server.core.links?.accept(there, server.core)
            then(link)
        }
    }

    /// No server reaches another from now on.
    func cutLinks() {
        for link in links.withLock({ $0.take() ?? [] }) { link.close() }
    }

    /// Waits until the sessions of a server have done and stored what they have begun, in fewer steps than these.
    func settle(_ name: String) async throws {
        let member = try member(name)
        for _ in 0..<5 {
            try await member.server.turns()
            await withCheckedContinuation { done in member.journal.load(.opening(once: "")) { _ in done.resume() } }
        }
    }

    /// Lets time pass, in which servers ask again for a session that another one has.
    func untilOwned(_ key: String, by name: String) async throws {
        let server = try member(name).server
        while server.session(withKey: key) == nil {
            try Task.checkCancellation()
            server.pass(.milliseconds(50))
            try await server.turns()
            await Task.yield()
        }
    }

    func end() async {
        for member in members.withLock({ Array($0.values) }) {
            await member.server.core.stopSessions()
            await withCheckedContinuation { done in member.journal.finish { done.resume() } }
            await member.server.stop()
        }
    }
}
