import Sessions

extension StoredChange: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        switch try reader.int() {
        case 0: self = .addScene(try reader.part())
        case 1: self = .addSession(try reader.part())
        case 2: self = .turn(try reader.part())
        case 3: self = .removeSession(key: try reader.string())
        case 4:
            self = .useScene(
                key: try reader.string(), time: Int64(try reader.int()), ahead: Int64(try reader.int()))
        case 5: self = .share(scene: try reader.string(), values: try reader.parts())
        case 6: self = .setReadKey(session: try reader.string(), key: try reader.string())
        default: throw StoreMessageReader.Malformed()
        }
    }

    func write(to writer: inout StoreMessageWriter) {
        switch self {
        case .addScene(let header):
            writer.append(0)
            writer.append(header)
        case .addSession(let header):
            writer.append(1)
            writer.append(header)
        case .turn(let turn):
            writer.append(2)
            writer.append(turn)
        case .removeSession(let key):
            writer.append(3)
            writer.append(key)
        case .useScene(let key, let time, let ahead):
            writer.append(4)
            writer.append(key)
            writer.append(Int(time))
            writer.append(Int(ahead))
        case .share(let scene, let values):
            writer.append(5)
            writer.append(scene)
            writer.append(values)
        case .setReadKey(let session, let key):
            writer.append(6)
            writer.append(session)
            writer.append(key)
        }
    }
}

extension StoredScene: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        self.init(header: try reader.part(), sessions: try reader.parts(), shared: try reader.parts())
        missing = try reader.optionalString()
    }

    func write(to writer: inout StoreMessageWriter) {
        writer.append(header)
        writer.append(sessions)
        writer.append(shared)
        writer.append(missing)
    }
}

extension StoredScene.Header: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        self.init(
            key: try reader.string(), owner: try reader.string(), once: try reader.optionalString(),
            used: Int64(try reader.int()))
    }

    func write(to writer: inout StoreMessageWriter) {
        writer.append(key)
        writer.append(owner)
        writer.append(once)
        writer.append(Int(used))
    }
}

extension ListedScene: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        self.init(
            header: try reader.part(), viewModel: try reader.string(),
            arguments: try reader.optional { reader throws(StoreMessageReader.Malformed) in try reader.text() },
            title: try reader.optionalString(),
            holder: try reader.optional { reader throws(StoreMessageReader.Malformed) in
                try reader.part(SceneHolder.self)
            })
    }

    func write(to writer: inout StoreMessageWriter) {
        writer.append(header)
        writer.append(viewModel)
        writer.append(arguments) { $0.append($1) }
        writer.append(title)
        writer.append(holder) { $0.append($1) }
    }
}

extension SceneFilter: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        let person = try reader.optionalString()
        let count = try reader.int()
        guard count >= 0 else { throw StoreMessageReader.Malformed() }
        var owners: [String] = []
        for _ in 0..<count { owners.append(try reader.string()) }
        self.init(
            person: person, owners: owners, maximumCount: try reader.int(), maximumBytes: try reader.int())
    }

    func write(to writer: inout StoreMessageWriter) {
        writer.append(person)
        writer.append(owners.count)
        for owner in owners { writer.append(owner) }
        writer.append(maximumCount)
        writer.append(maximumBytes)
    }
}

extension StoredSession: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        self.init(
            header: try reader.part(), turn: try reader.part(), epochs: SessionEpochs(text: try reader.string()),
            readKey: try reader.optionalString())
        missing = try reader.optionalString()
    }

    func write(to writer: inout StoreMessageWriter) {
        writer.append(header)
        writer.append(turn)
        writer.append(epochs.text)
        writer.append(readKey)
        writer.append(missing)
    }
}

extension StoredSession.Header: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        self.init(
            key: try reader.string(), scene: try reader.string(), viewModel: try reader.string(),
            arguments: try reader.optional { reader throws(StoreMessageReader.Malformed) in try reader.text() },
            argumentsVersion: try reader.int(), shownBy: Shown(rawValue: try reader.string()),
            isDurable: try reader.bool())
    }

    func write(to writer: inout StoreMessageWriter) {
        writer.append(key)
        writer.append(scene)
        writer.append(viewModel)
        writer.append(arguments) { $0.append($1) }
        writer.append(argumentsVersion)
        writer.append(shownBy?.rawValue ?? "")
        writer.append(isDurable)
    }
}

extension StoredTurn: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        self.init(
            session: try reader.string(), newest: try reader.int(), lost: try reader.int(),
            hasAllEvents: try reader.bool(), isStarted: try reader.bool(), savedVersion: try reader.int())
        entries = try reader.parts()
        clients = try reader.parts()
        hasForgottenClients = try reader.bool()
        notes = try reader.optional { reader throws(StoreMessageReader.Malformed) in
            SessionNotes(text: try reader.text())
        }
        saved = try reader.parts()
    }

    func write(to writer: inout StoreMessageWriter) {
        writer.append(session)
        writer.append(newest)
        writer.append(lost)
        writer.append(hasAllEvents)
        writer.append(isStarted)
        writer.append(savedVersion)
        writer.append(entries)
        writer.append(clients)
        writer.append(hasForgottenClients)
        writer.append(notes) { $0.append($1.text) }
        writer.append(saved)
    }
}

extension ClientNumber: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        self.init(client: try reader.string(), number: try reader.int())
    }

    func write(to writer: inout StoreMessageWriter) {
        writer.append(client)
        writer.append(number)
    }
}

extension StoredEntry: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        self.init(number: try reader.int(), key: try reader.optionalString(), content: try reader.part())
    }

    func write(to writer: inout StoreMessageWriter) {
        writer.append(number)
        writer.append(key)
        writer.append(content)
    }
}

extension SessionLog.Content: StoreMessagePart {
    /// The number that stands for an event. The kinds of navigation changes are numbered from 1 on.
    private static let event = 0

    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        let kind = try reader.int()
        guard kind != Self.event else {
            self = .event(try reader.text())
            return
        }
        let kinds = NavigationChange.Kind.allCases
        guard 1...kinds.count ~= kind else { throw StoreMessageReader.Malformed() }
        let child = NavigationChild(key: try reader.string(), viewModel: try reader.string())
        self = .navigation(NavigationChange(kinds[kind - 1], child))
    }

    func write(to writer: inout StoreMessageWriter) {
        switch self {
        case .event(let text):
            writer.append(Self.event)
            writer.append(text)
        case .navigation(let change):
            writer.append(1 + (NavigationChange.Kind.allCases.firstIndex(of: change.kind) ?? 0))
            writer.append(change.child.key)
            writer.append(change.child.viewModel)
        }
    }
}

extension SavedValue: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        self.init(name: try reader.string(), text: try reader.text())
    }

    func write(to writer: inout StoreMessageWriter) {
        writer.append(name)
        writer.append(text)
    }
}

extension SceneHolder: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        self.init(
            server: try reader.string(), address: try reader.optionalString(), description: try reader.string())
    }

    func write(to writer: inout StoreMessageWriter) {
        writer.append(server)
        writer.append(address)
        writer.append(description)
    }
}

extension StoreOutcome: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        switch try reader.int() {
        case 0: self = .stored
        case 1: self = .refused(try reader.string())
        case 2: self = .lost(try reader.string())
        default: throw StoreMessageReader.Malformed()
        }
    }

    func write(to writer: inout StoreMessageWriter) {
        switch self {
        case .stored: writer.append(0)
        case .refused(let reason):
            writer.append(1)
            writer.append(reason)
        case .lost(let reason):
            writer.append(2)
            writer.append(reason)
        }
    }
}

extension StoreError: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        let kind = try reader.int()
        guard kind != 4 else {
            self = .held(try reader.part())
            return
        }
        let reason = try reader.string()
        switch kind {
        case 0: self = .unavailable(reason)
        case 1: self = .inaccessible(reason)
        case 2: self = .takenOver(reason)
        case 3: self = .unusable(reason)
        case 5: self = .lost(reason)
        case 6: self = .incomplete(reason)
        default: throw StoreMessageReader.Malformed()
        }
    }

    func write(to writer: inout StoreMessageWriter) {
        writer.append(kind)
        if case .held(let holder) = self { writer.append(holder) } else { writer.append(reason) }
    }

    private var kind: Int {
        switch self {
        case .unavailable: 0
        case .inaccessible: 1
        case .takenOver: 2
        case .unusable: 3
        case .held: 4
        case .lost: 5
        case .incomplete: 6
        }
    }
}

extension StoreQuery: StoreMessagePart {
    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        let kind = try reader.int()
        let name = try reader.string()
        switch kind {
        case 0: self = .session(key: name)
        case 1: self = .opening(once: name)
        case 2: self = .owner(scene: name)
        default: throw StoreMessageReader.Malformed()
        }
    }

    func write(to writer: inout StoreMessageWriter) {
        let (kind, name) =
            switch self {
            case .session(let key): (0, key)
            case .opening(let once): (1, once)
            case .owner(let scene): (2, scene)
            }
        writer.append(kind)
        writer.append(name)
    }
}

extension StoreMessageWriter {
    fileprivate mutating func append(_ text: String?) { append(text) { $0.append($1) } }
}

extension StoreMessageReader {
    fileprivate mutating func optionalString() throws(Malformed) -> String? {
        try optional { reader throws(Malformed) in try reader.string() }
    }
}
