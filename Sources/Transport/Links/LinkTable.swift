import LibC

/// The links of a server to others: one to each address, made when first needed.
///
/// All loops share the table; the links live on a loop of their own. No one else closes the links.
package final class LinkTable: Sendable {
    package typealias Body = @Sendable (Result<Link, SystemError>) -> Void

    private let loop: EventLoop
    private let links: LoopBound<Links>

    /// Makes an empty table on any thread.
    ///
    /// - Parameter loop: the loop of the links.
    package init(on loop: EventLoop, settings: Link.Settings = Link.Settings()) {
        self.loop = loop
        links = LoopBound(Links(loop, settings), loop: loop)
    }

    /// Finds the link to an address, or connects. Any thread may call this.
    ///
    /// Calls that come while it connects get the same link or the same error: that of the connection, or the other server's
    /// refusal. After an error, or once a link was lost, the next call connects again.
    ///
    /// - Parameters:
    ///   - token: the token to show to the other server.
    ///   - body: called once, on the loop of the links, never inline.
    package func withLink(to address: SocketAddress, token: [UInt8], _ body: @escaping Body) {
        loop.execute { [links] in links.value.find(address, token, body) }
    }

    /// Closes all links as `Link.close` does, and makes no more. Any thread may call this.
    package func close(_ code: LinkCloseCode = .goingAway) {
        loop.execute { [links] in links.value.close(code) }
    }
}

/// The table itself; confined to its loop.
private final class Links {
    private struct Key: Hashable {
        let address: String
        let token: [UInt8]
    }

    private final class Entry {
        let key: Key
        var link: Link?
        var isOpen = false
        /// The callers that wait until the far side has accepted the token.
        var waiting: [LinkTable.Body] = []
        var timer: LoopTimer?

        init(_ key: Key) {
            self.key = key
        }
    }

    private let loop: EventLoop
    private let settings: Link.Settings
    private var entries: [Key: Entry] = [:]
    private var isClosed = false

    init(_ loop: EventLoop, _ settings: Link.Settings) {
        self.loop = loop
        self.settings = settings
    }

    func find(_ address: SocketAddress, _ token: [UInt8], _ body: @escaping LinkTable.Body) {
        let key = Key(address: address.description, token: token)
        guard !isClosed else { return body(.failure(canceled(key))) }
        if let entry = entries[key] {
            if entry.isOpen, let link = entry.link { body(.success(link)) } else { entry.waiting.append(body) }
            return
        }
        let entry = Entry(key)
        entry.waiting = [body]
        entries[key] = entry
        connect(entry, to: address)
    }

    private func connect(_ entry: Entry, to address: SocketAddress) {
        let late = SystemError(code: ETIMEDOUT, call: "connect", subject: entry.key.address)
        let (links, bound) = (LoopBound(self, loop: loop), LoopBound(entry, loop: loop))
        entry.timer = loop.schedule(after: settings.helloTime) { links.value.forget(bound.value, late) }
        Socket.connect(to: [address], on: loop) { [self] result in
            entry.timer?.cancel()
            switch result {
            case .success(let stream): didConnect(entry, stream)
            case .failure(let error): forget(entry, error)
            }
        }
    }

    private func didConnect(_ entry: Entry, _ stream: DescriptorStream) {
        guard entries[entry.key] === entry else { return stream.close() }
        entry.link = Link(connecting: stream, token: entry.key.token, settings: settings) { [self] in
            didOpen(entry)
        } didClose: { [self] error in
            forget(entry, error ?? canceled(entry.key))
        }
    }

    private func didOpen(_ entry: Entry) {
        guard let link = entry.link, entries[entry.key] === entry else { return }
        entry.isOpen = true
        answer(entry, .success(link))
    }

    private func forget(_ entry: Entry, _ error: SystemError) {
        if entries[entry.key] === entry { entries[entry.key] = nil }
        answer(entry, .failure(error))
    }

    private func answer(_ entry: Entry, _ result: Result<Link, SystemError>) {
        let waiting = entry.waiting
        entry.waiting = []
        for body in waiting { body(result) }
    }

    func close(_ code: LinkCloseCode) {
        isClosed = true
        for entry in entries.values {
            entry.link?.close(code)
            answer(entry, .failure(canceled(entry.key)))
        }
        entries = [:]
    }

    private func canceled(_ key: Key) -> SystemError {
        SystemError(code: ECANCELED, call: "link", subject: key.address, reason: "the link was closed")
    }
}
