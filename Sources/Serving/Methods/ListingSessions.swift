import FoundationEssentials
import JSON
import JSONRPC
import Queues
import Sessions
import Transport
import ViewModelProtocol

/// The requests of a client for the sessions that it may come back to. The store is read for one of them at a time: those
/// that come meanwhile are answered by the next reading, so that no client keeps the store busy for itself.
final class KeptListRequests {
    /// Those that the reading under way answers, and those that came after it began.
    fileprivate var current: [Reply<SessionList>] = []
    fileprivate var next: [Reply<SessionList>] = []
}

extension Connection {
    /// Answers with the client's views, wherever their sessions are; or with the sessions that its person may come back to.
    func listSessions(_ params: SessionList.Params, _ reply: Reply<SessionList>) {
        guard params.kept != true else { return listKeptSessions(reply) }
        let own = views.table.listedSessions(on: core.sessions.journal?.holder?.description)
        if let remote { remote.list(own, reply) } else { answer(reply, own) }
    }

    private func listKeptSessions(_ reply: Reply<SessionList>) {
        views.unfinishedJobs += 1
        let lists = keptLists ?? KeptListRequests()
        keptLists = lists
        lists.next.append(reply)
        if lists.current.isEmpty { readKeptSessions() }
    }

    private func readKeptSessions() {
        guard let lists = keptLists else { return }
        (lists.current, lists.next) = (lists.next, [])
        guard !lists.current.isEmpty else { return }
        let filter = keptFilter
        StoredListing(of: self).begin(filter) { [handle] stored in
            handle.perform { $0.didRead(stored, filter) }
        }
    }

    private func didRead(_ stored: Result<[ListedScene], RPCError>, _ filter: SceneFilter) {
        switch stored {
        case .failure(let error): endList(.failure(error))
        case .success(let scenes):
            let kept = core.sessions.kept(scenes, filter)
            TitleReading(on: loop).begin(kept.compactMap(\.untitled), by: core.clock) { [handle] titles in
                handle.perform { $0.endList(.success(.init(sessions: kept.map { $0.listed(titles) }))) }
            }
        }
    }

    private func endList(_ result: Result<SessionList.Result, RPCError>) {
        let replies = keptLists?.current ?? []
        keptLists?.current = []
        for reply in replies {
            switch result {
            case .success(let list): answer(reply, list)
            case .failure(let error): answer(reply, error: error)
            }
        }
        readKeptSessions()
        for _ in replies { views.didFinishJob() }
    }

    /// The sessions that the client may come back to. A client whose person isn't known finds those of everyone alone: a list
    /// of keys would open the sessions of others.
    private var keptFilter: SceneFilter {
        let owners = principal != nil || Owner.isLocal(owner) ? Owner.names(of: person) : []
        return SceneFilter(
            person: owners.isEmpty ? nil : person, owners: owners, maximumCount: SessionList.longestKeptList,
            maximumBytes: core.limits.messageBytes)
    }
}

/// The reading of a list from the store. It takes no longer than the limit `storeTime`. Confined to the connection's loop.
private final class StoredListing {
    private let core: ServerCore
    private let loop: EventLoop
    private var timer: Task<Void, Never>?
    private var done: ((Result<[ListedScene], RPCError>) -> Void)?

    init(of connection: Connection) {
        (core, loop) = (connection.core, connection.loop)
    }

    /// Begins to read. Called once.
    ///
    /// - Parameter done: called once, on a later turn of the loop or at once.
    func begin(_ filter: SceneFilter, done: @escaping (Result<[ListedScene], RPCError>) -> Void) {
        guard let journal = core.sessions.journal else { return done(.success([])) }
        if let failure = journal.failure { return done(.failure(.storeUnavailable(failure.reason))) }
        self.done = done
        let bound = LoopBound(self, loop: loop)
        let time = core.limits.storeTime
        timer = loop.schedule(after: time, by: core.clock) { [core] in
            let reason = "the list of sessions wasn't read within \(time) (storeTime)"
            guard bound.value.finish(.failure(.storeUnavailable(reason))) else { return }
            core.log.warning(reason)
            core.countExceeded("storeTime")
        }
        journal.list(filter) { [loop] result in
            loop.execute {
                bound.value.finish(result.mapError { .storeUnavailable($0.reason) })
            }
        }
    }

    /// Returns false where it was finished before.
    @discardableResult
    private func finish(_ result: Result<[ListedScene], RPCError>) -> Bool {
        guard let done else { return false }
        self.done = nil
        timer?.cancel()
        done(result)
        return true
    }
}

/// The reading of the titles that only view models know. One that is busy for longer than a second has none in the list.
/// Confined to the loop.
private final class TitleReading {
    private static let time = Duration.seconds(1)

    private let loop: EventLoop
    private var missing: Set<String> = []
    private var titles: [String: String] = [:]
    private var timer: Task<Void, Never>?
    private var done: (([String: String]) -> Void)?

    init(on loop: EventLoop) { self.loop = loop }

    /// - Parameter done: called once, with titles by the keys of sessions: at once where there are no sessions.
    func begin(_ sessions: [Session], by clock: any Clock<Duration>, done: @escaping ([String: String]) -> Void) {
        guard !sessions.isEmpty else { return done([:]) }
        self.done = done
        missing = Set(sessions.map(\.key))
        let bound = LoopBound(self, loop: loop)
        timer = loop.schedule(after: Self.time, by: clock) { bound.value.finish() }
        for session in sessions {
            session.readTitle { [loop, key = session.key] title in
                loop.execute { bound.value.take(title, of: key) }
            }
        }
    }

    private func take(_ title: String?, of key: String) {
        titles[key] = title
        missing.remove(key)
        if missing.isEmpty { finish() }
    }

    private func finish() {
        guard let done else { return }
        self.done = nil
        timer?.cancel()
        done(titles)
    }
}

extension ViewTable {
    /// Returns the sessions that have an answered view on this connection, in the order of attachment.
    ///
    /// - Parameter server: the description of this server; nil where no other server shares its store.
    fileprivate func listedSessions(on server: String?) -> SessionList.Result {
        let sessions = attached.filter(\.isAnswered).map { view in
            let (newest, count) = view.session.summary
            return SessionList.ListedSession(
                session: .init(view.number), key: .init(view.key), viewModel: view.session.viewModelName,
                seq: .init(newest), views: .init(count), server: server)
        }
        return SessionList.Result(sessions: sessions)
    }
}

extension ServerSessions {
    /// Returns the sessions that a client may come back to: the stored ones, and those that are only in memory. What is in
    /// memory is newer.
    fileprivate func kept(_ stored: [ListedScene], _ filter: SceneFilter) -> [KeptSession] {
        let now = journal?.time ?? ThisProcess.secondsSince1970
        var kept: [KeptSession] = []
        for scene in stored {
            let session = session(withKey: scene.header.key)
            switch session?.standing {
            case .ended?: break
            case .inMemory(let use)?: kept.append(KeptSession(scene, use, now: now, on: journal?.holder))
            case .onlyStored?, nil: kept.append(KeptSession(scene, on: journal?.holder))
            }
        }
        let known = Set(stored.map(\.header.key))
        for (session, arguments) in roots(for: filter) where !known.contains(session.key) {
            guard case .inMemory(let use) = session.standing else { continue }
            kept.append(KeptSession(session, arguments, use, now: now, on: journal?.holder))
        }
        kept.sort { ($0.used, $1.key) > ($1.used, $0.key) }
        var bytes = filter.maximumBytes
        let listed = kept.prefix(filter.maximumCount).prefix { session in
            bytes -= ListedScene.bytes(arguments: session.arguments?.bytes.count ?? 0)
            return bytes >= 0
        }
        return Array(listed)
    }
}

/// A session that somebody may come back to.
private struct KeptSession {
    let key: String
    let viewModel: String
    let arguments: JSONText?
    let title: String?
    /// The session, where only its view model knows the title.
    var untitled: Session?
    /// In seconds since 1970.
    let used: Int64
    let views: Int?
    let server: String?

    /// Makes one that is only stored, or that another server has.
    ///
    /// - Parameter here: this server; nil where others don't share its store.
    init(_ scene: ListedScene, on here: SceneHolder?) {
        (key, viewModel, title, used) = (scene.header.key, scene.viewModel, scene.title, scene.header.used)
        arguments = scene.argumentsText
        views = scene.holder == nil || scene.holder?.server == here?.server ? 0 : nil
        server = scene.holder?.description
    }

    /// Makes one that is stored and in memory.
    init(_ scene: ListedScene, _ use: SessionUse, now: Int64, on here: SceneHolder?) {
        (key, viewModel, title) = (scene.header.key, scene.viewModel, use.title)
        (arguments, used) = (scene.argumentsText, use.time(now: now) ?? scene.header.used)
        (views, server) = (use.views, here?.description)
    }

    /// Makes one that is in memory.
    init(_ session: Session, _ arguments: JSONText?, _ use: SessionUse, now: Int64, on here: SceneHolder?) {
        (key, viewModel, title) = (session.key, session.viewModelName, use.title)
        (self.arguments, used) = (arguments, use.time(now: now) ?? now)
        (views, server) = (use.views, here?.description)
        untitled = session.mustReadTitle ? session : nil
    }

    /// - Parameter titles: those that were read, by the keys of sessions.
    func listed(_ titles: [String: String]) -> SessionList.ListedSession {
        SessionList.ListedSession(
            key: .init(key), viewModel: viewModel, arguments: arguments, title: title ?? titles[key],
            lastUsed: TimeText(secondsSince1970: used), views: views.map { .init($0) }, server: server)
    }
}

extension TimeText {
    fileprivate init(secondsSince1970 seconds: Int64) {
        let date = Date(timeIntervalSince1970: Double(seconds))
        // Only years that no clock has have no text.
        let json = (try? JSONText(encoding: date))?.withValue { $0.string() } ?? nil
        self.init(json ?? "9999-12-31T23:59:59Z")
    }
}

extension SessionUse {
    fileprivate func time(now: Int64) -> Int64? { unusedFor.map { now - $0.components.seconds } }
}

extension ListedScene {
    /// What isn't JSON any more, as another program has changed it, is left out.
    fileprivate var argumentsText: JSONText? {
        arguments.flatMap { bytes in bytes.withUnsafeBytes { try? JSONText(validating: $0) } }
    }
}
