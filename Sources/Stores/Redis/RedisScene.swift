import Sessions

/// A scene as the script `claim` returns it. Where Redis has lost a part, that part isn't in `scene`, and `missing` says
/// which it is.
struct RedisScene {
    /// The fields of a hash.
    private typealias Fields = [[UInt8]: [UInt8]]

    private(set) var scene: StoredScene
    /// The id of the server that has the scene, which may be gone; nil where none has it.
    let holder: String?
    /// How often a server has taken the scene (`fence`), and the number of the newest commit since the last time.
    let fence: Int64
    let commit: Int64

    /// Reads an answer; nil where it isn't a scene.
    ///
    /// - Parameter values: the fence, the commit's number, the root's key, the scene's hash, and for each session its place,
    ///   its key, its hash and its log.
    init?(_ values: ArraySlice<RESPValue>) {
        let values = Array(values)
        guard values.count == 5, let fence = values[0].integer, let commit = values[1].integer,
            let root = values[2].text, let fields = Self.fields(values[3]), let list = values[4].array
        else { return nil }
        let header: StoredScene.Header
        if fields.isEmpty {
            header = StoredScene.Header(key: root, owner: "", once: nil, used: 0)
        } else {
            guard let used = Self.text("used", fields).flatMap({ Int64($0) }), let owner = Self.text("owner", fields)
            else { return nil }
            header = StoredScene.Header(key: root, owner: owner, once: Self.text("once", fields), used: used)
        }
        var sessions: [(place: Int64, session: StoredSession)] = []
        for value in list {
            guard let parts = value.array, parts.count == 4, let place = parts[0].integer, let key = parts[1].text,
                let session = Self.session(key, parts[2], log: parts[3], scene: root)
            else { return nil }
            sessions.append((place, session))
        }
        (self.fence, self.commit) = (fence, commit)
        holder = Self.text("holder", fields)
        sessions.sort { $0.place < $1.place }
        scene = StoredScene(
            header: header, sessions: sessions.map(\.session), shared: Self.saved("shared:", fields))
        if fields.isEmpty { scene.missing = "which sessions it has, and what they share" }
    }

    /// Returns the error where a part is lost that a server can't do without; nil where none is.
    func loss(at address: RedisAddress) -> StoreError? {
        loss.map { loss in
            .incomplete(
                """
                \(address) has lost a part of this session: \(loss). The rest stays there; `sessions show` shows it, and a \
                backup may have the part
                """)
        }
    }

    private var loss: String? {
        if let missing = scene.missing { return missing }
        guard let session = scene.sessions.first(where: { $0.header.viewModel.isEmpty }) else { return nil }
        return session.header.key == scene.header.key ? session.missing : "\(session.missing ?? "") of a child"
    }

    /// Reads a session. Where its hash is lost, its view model's name is empty.
    private static func session(_ key: String, _ hash: RESPValue, log: RESPValue, scene: String) -> StoredSession? {
        guard let fields = fields(hash), let members = log.array else { return nil }
        if fields.isEmpty {
            let header = StoredSession.Header(key: key, scene: scene, viewModel: "", arguments: nil)
            let turn = StoredTurn(
                session: key, newest: 0, lost: 0, hasAllEvents: false, isStarted: false, savedVersion: 0)
            var session = StoredSession(header: header, turn: turn)
            session.turn.entries = members.compactMap { $0.bytes.flatMap { RedisEntry.entry($0) } }
            session.missing = "the state and the numbers"
            return session
        }
        guard let viewModel = text("viewModel", fields), let newest = number("newest", fields),
            let lost = number("lost", fields), let version = number("version", fields)
        else { return nil }
        let header = StoredSession.Header(
            key: key, scene: scene, viewModel: viewModel, arguments: fields[Array("arguments".utf8)],
            argumentsVersion: number("argumentsVersion", fields) ?? 1,
            shownBy: text("shownBy", fields).flatMap { .init(rawValue: $0) },
            isDurable: text("isDurable", fields) == "1")
        var turn = StoredTurn(
            session: key, newest: newest, lost: lost, hasAllEvents: text("hasAllEvents", fields) == "1",
            isStarted: text("isStarted", fields) == "1", savedVersion: version)
        for member in members {
            guard let entry = member.bytes.flatMap({ RedisEntry.entry($0) }) else { return nil }
            turn.entries.append(entry)
        }
        for value in saved("client:", fields) {
            guard let number = Int(String(decoding: value.text, as: UTF8.self)) else { return nil }
            turn.clients.append(ClientNumber(client: value.name, number: number))
        }
        turn.hasForgottenClients = text("hasForgottenClients", fields) == "1"
        turn.notes = fields[Array("notes".utf8)].map { SessionNotes(text: $0) }
        turn.saved = saved("saved:", fields)
        var session = StoredSession(
            header: header, turn: turn, epochs: SessionEpochs(text: text("epochs", fields) ?? ""),
            readKey: text("readKey", fields))
        if let count = number("entries", fields), count > members.count {
            session.missing = "\(count - members.count) of the \(count) events that the log had"
        }
        return session
    }

    private static func fields(_ value: RESPValue) -> Fields? {
        guard let list = value.array, list.count.isMultiple(of: 2) else { return nil }
        var fields: Fields = [:]
        for index in stride(from: 0, to: list.count, by: 2) {
            guard let name = list[index].bytes, let value = list[index + 1].bytes else { return nil }
            fields[name] = value
        }
        return fields
    }

    private static func text(_ name: String, _ fields: Fields) -> String? {
        fields[Array(name.utf8)].map { String(decoding: $0, as: UTF8.self) }
    }

    private static func number(_ name: String, _ fields: Fields) -> Int? { text(name, fields).flatMap { Int($0) } }

    /// Returns the fields with this prefix, sorted by the bytes of their names.
    private static func saved(_ prefix: String, _ fields: Fields) -> [SavedValue] {
        let found = fields.filter { $0.key.starts(with: prefix.utf8) }
        return found.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { name, text in
            SavedValue(name: String(decoding: name.dropFirst(prefix.utf8.count), as: UTF8.self), text: text)
        }
    }
}

// What a server makes of the scene.
extension RedisScene {
    /// The scene as a server goes on with it. Where a session's log has lost entries, no event up to the newest number counts
    /// as kept, so that its views are told of the gap.
    var sceneWithoutGaps: StoredScene {
        var scene = scene
        for index in scene.sessions.indices where scene.sessions[index].missing != nil {
            scene.sessions[index].turn.entries = []
            scene.sessions[index].turn.lost = scene.sessions[index].turn.newest
            scene.sessions[index].turn.hasAllEvents = false
        }
        return scene
    }

    /// Returns the summaries of the scene's sessions.
    ///
    /// - Parameter holder: the server that has the scene, for people.
    func summaries(holder: String?) -> [StoredSummary] {
        scene.sessions.map { session in
            StoredSummary(
                key: session.header.key, scene: scene.header.key, viewModel: session.header.viewModel,
                newest: session.turn.newest, used: scene.header.used, bytes: session.bytes, holder: holder,
                isComplete: scene.missing == nil && session.missing == nil)
        }
    }
}

extension StoredSession {
    fileprivate var bytes: Int {
        let events = turn.entries.reduce(0) { sum, entry in
            switch entry.content {
            case .event(let payload): sum + payload.count
            case .navigation(let change): sum + change.child.viewModel.utf8.count
            }
        }
        return events + (header.arguments?.count ?? 0) + turn.saved.reduce(0) { $0 + $1.text.count }
    }
}

extension ListedScene {
    /// Reads a scene as the script `list` returns it; nil where it is none.
    init?(_ value: RESPValue) {
        guard let parts = value.array, parts.count == 8, let key = parts[0].text, let owner = parts[1].text,
            let used = parts[3].integer, let viewModel = parts[5].text
        else { return nil }
        self.init(
            header: StoredScene.Header(key: key, owner: owner, once: parts[2].text, used: used), viewModel: viewModel,
            arguments: parts[6].bytes, title: parts[7].bytes.flatMap { SessionNotes(text: $0).title },
            holder: parts[4].text.map { RedisLease($0).holder })
    }
}
