import Sessions

/// Changes of a scene as arguments of the script `commit`.
struct RedisChanges {
    private(set) var arguments: [[UInt8]] = []
    /// Whether the changes make the scene.
    private(set) var makesScene = false
    /// Whether the changes remove the scene, with everything in it.
    private(set) var removesScene = false

    /// Writes the changes of a commit.
    ///
    /// - Throws: `unusable` for a number that no session has.
    init(_ commit: SceneCommit) throws(StoreError) {
        for change in commit.changes {
            switch change {
            case .addScene(let scene): makesScene = makesScene || scene.key == commit.scene
            case .removeSession(let key): removesScene = removesScene || key == commit.scene
            default: break
            }
            try add(change)
        }
    }

    private mutating func add(_ change: StoredChange) throws(StoreError) {
        switch change {
        case .addScene(let scene):
            add("scene", scene.key, scene.owner, "\(scene.used)", scene.once == nil ? "0" : "1", scene.once ?? "")
        case .addSession(let session):
            add("session", session.scene, session.key, session.viewModel, session.arguments == nil ? "0" : "1")
            arguments.append(session.arguments ?? [])
            add("\(session.argumentsVersion)", session.shownBy?.rawValue ?? "", session.isDurable ? "1" : "0")
        case .turn(let turn): try add(turn)
        case .setReadKey(let session, let key): add("readKey", session, key)
        case .removeSession(let key): add("remove", key)
        case .useScene(let key, let time, let ahead): add("use", key, "\(time)", "\(ahead)")
        case .share(let scene, let values):
            add("share", scene)
            add(values)
        }
    }

    private mutating func add(_ turn: StoredTurn) throws(StoreError) {
        let (newest, lost) = (try RedisNumber.text(turn.newest), try RedisNumber.text(turn.lost))
        add("turn", turn.session, newest, lost, turn.hasAllEvents ? "1" : "0", turn.isStarted ? "1" : "0")
        add("\(turn.savedVersion)", "\(turn.entries.count)")
        for entry in turn.entries {
            add(try RedisNumber.text(entry.number), entry.key == nil ? "0" : "1", entry.key ?? "")
            arguments.append(try RedisEntry.bytes(of: entry))
        }
        add("\(turn.clients.count)")
        for client in turn.clients { add(client.client, "\(client.number)") }
        add(turn.notes == nil ? "0" : "1")
        arguments.append(turn.notes?.text ?? [])
        add(turn.saved)
    }

    private mutating func add(_ values: [SavedValue]) {
        add("\(values.count)")
        for value in values {
            add(value.name)
            arguments.append(value.text)
        }
    }

    private mutating func add(_ texts: String...) {
        for text in texts { arguments.append(Array(text.utf8)) }
    }
}

/// Writes numbers of events as texts of one length, so that Redis' scripts compare them exactly. Numbers in scripts have 53
/// bits only.
enum RedisNumber {
    static let digits = 19

    /// Writes a number.
    ///
    /// - Throws: `unusable` for a negative number.
    static func text(_ number: Int) throws(StoreError) -> String {
        guard number >= 0 else { throw .unusable("the number \(number) isn't one of an event") }
        let text = String(number)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}

/// Writes and reads the members of a log: `NUMBER`, `e` for an event or `n` for navigation, the event's key as `LENGTH:KEY`
/// or `-`, and the content. The content of navigation is `KIND LENGTH:KEY` and the view model's name.
enum RedisEntry {
    /// Writes an entry.
    ///
    /// - Throws: `unusable` for a negative number.
    static func bytes(of entry: StoredEntry) throws(StoreError) -> [UInt8] {
        var bytes = Array(try RedisNumber.text(entry.number).utf8)
        switch entry.content {
        case .event(let payload):
            bytes.append(UInt8(ascii: "e"))
            add(entry.key, to: &bytes)
            bytes += payload
        case .navigation(let change):
            bytes.append(UInt8(ascii: "n"))
            add(entry.key, to: &bytes)
            bytes += "\(change.kind.name) ".utf8
            add(change.child.key, to: &bytes)
            bytes += change.child.viewModel.utf8
        }
        return bytes
    }

    private static func add(_ key: String?, to bytes: inout [UInt8]) {
        guard let key else { return bytes.append(UInt8(ascii: "-")) }
        bytes += "\(key.utf8.count):".utf8
        bytes += key.utf8
    }

    /// Reads an entry; nil where the bytes are none.
    static func entry(_ bytes: [UInt8]) -> StoredEntry? {
        var rest = bytes[...]
        guard let number = Int(text(rest.prefix(RedisNumber.digits))) else { return nil }
        rest = rest.dropFirst(RedisNumber.digits)
        let kind = rest.popFirst()
        var key: String?
        if rest.first == UInt8(ascii: "-") {
            rest.removeFirst()
        } else {
            guard let found = takeKey(&rest) else { return nil }
            key = found
        }
        if kind == UInt8(ascii: "e") { return StoredEntry(number: number, key: key, content: .event(Array(rest))) }
        guard kind == UInt8(ascii: "n"), let space = rest.firstIndex(of: UInt8(ascii: " ")),
            let change = NavigationChange.Kind(name: text(rest[..<space]))
        else { return nil }
        rest = rest[(space + 1)...]
        guard let child = takeKey(&rest) else { return nil }
        let content = NavigationChange(change, NavigationChild(key: child, viewModel: text(rest)))
        return StoredEntry(number: number, key: key, content: .navigation(content))
    }

    private static func takeKey(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard let colon = rest.prefix(20).firstIndex(of: UInt8(ascii: ":")), let count = Int(text(rest[..<colon])),
            count >= 0, count < rest.endIndex - colon
        else { return nil }
        let key = text(rest[(colon + 1)...].prefix(count))
        rest = rest[(colon + 1 + count)...]
        return key
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
