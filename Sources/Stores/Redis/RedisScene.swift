import Sessions

/// Reads the answer of the script `claim`.
struct RedisScene {
    /// The fields of a hash.
    private typealias Fields = [[UInt8]: [UInt8]]

    let scene: StoredScene
    /// The id of the server that has it, which may be gone; nil where none has it.
    let holder: String?
    /// How often a server has taken it, and the number of the newest commit since the last time.
    let fence: Int64
    let commit: Int64

    /// - Parameter values: the fence and the commit's number, the root's key, the scene's hash, and of each session its place,
    ///   its hash and its log.
    /// - Returns: nil where it is none.
    init?(_ values: ArraySlice<RESPValue>) {
        let values = Array(values)
        guard values.count == 5, let fence = values[0].integer, let commit = values[1].integer,
            let root = values[2].text, let fields = Self.fields(values[3]), let list = values[4].array,
            let used = Self.text("used", fields).flatMap({ Int64($0) }),
            let owner = Self.text("owner", fields)
        else { return nil }
        var sessions: [(place: Int64, session: StoredSession)] = []
        for value in list {
            guard let parts = value.array, parts.count == 3, let place = parts[0].integer,
                let session = Self.session(parts[1], log: parts[2], scene: root)
            else { return nil }
            sessions.append((place, session))
        }
        (self.fence, self.commit) = (fence, commit)
        holder = Self.text("holder", fields)
        sessions.sort { $0.place < $1.place }
        scene = StoredScene(
            header: StoredScene.Header(key: root, owner: owner, once: Self.text("once", fields), used: used),
            sessions: sessions.map(\.session), shared: Self.saved("shared:", fields))
    }

    private static func session(_ hash: RESPValue, log: RESPValue, scene: String) -> StoredSession? {
        guard let fields = fields(hash), let key = text("key", fields), let viewModel = text("viewModel", fields),
            let newest = number("newest", fields), let lost = number("lost", fields),
            let version = number("version", fields), let members = log.array
        else { return nil }
        let header = StoredSession.Header(
            key: key, scene: scene, viewModel: viewModel, arguments: fields[Array("arguments".utf8)],
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
        turn.saved = saved("saved:", fields)
        return StoredSession(header: header, turn: turn, epochs: SessionEpochs(text: text("epochs", fields) ?? ""))
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

    /// Those whose names begin so, by the bytes of the rest of their names.
    private static func saved(_ prefix: String, _ fields: Fields) -> [SavedValue] {
        let found = fields.filter { $0.key.starts(with: prefix.utf8) }
        return found.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { name, text in
            SavedValue(name: String(decoding: name.dropFirst(prefix.utf8.count), as: UTF8.self), text: text)
        }
    }
}
