import Sessions

/// Changes as servers make them.
extension StoredChange {
    static func scene(_ key: String, owner: String = "", once: String? = nil, used: Int64 = 0) -> StoredChange {
        .addScene(StoredScene.Header(key: key, owner: owner, once: once, used: used))
    }

    static func session(
        _ key: String, in scene: String? = nil, viewModel: String = "counter", arguments: [UInt8]? = nil,
        argumentsVersion: Int = 1, shownBy: StoredSession.Header.Shown? = nil, isDurable: Bool = true
    ) -> StoredChange {
        .addSession(
            StoredSession.Header(
                key: key, scene: scene ?? key, viewModel: viewModel, arguments: arguments,
                argumentsVersion: argumentsVersion, shownBy: shownBy, isDurable: isDurable))
    }

    /// A scene that has its root alone.
    static func root(_ key: String) -> [StoredChange] { [.scene(key), .session(key)] }

    static func turn(
        _ session: String, newest: Int, lost: Int = 0, hasAllEvents: Bool = true, isStarted: Bool = true,
        version: Int = 1, entries: [StoredEntry] = [], clients: [ClientNumber] = [], saved: [SavedValue] = []
    ) -> StoredChange {
        var turn = StoredTurn(
            session: session, newest: newest, lost: lost, hasAllEvents: hasAllEvents, isStarted: isStarted,
            savedVersion: version)
        (turn.entries, turn.clients, turn.saved) = (entries, clients, saved)
        return .turn(turn)
    }

    /// A turn with one event.
    static func event(_ session: String, _ number: Int, _ text: String, key: String? = nil) -> StoredChange {
        .turn(session, newest: number, entries: [.event(number, text, key: key)])
    }
}

extension StoredEntry {
    static func event(_ number: Int, _ text: String, key: String? = nil) -> StoredEntry {
        StoredEntry(number: number, key: key, content: .event(Array(text.utf8)))
    }

    static func navigation(
        _ number: Int, _ kind: NavigationChange.Kind, _ key: String, _ viewModel: String
    ) -> StoredEntry {
        let change = NavigationChange(kind, NavigationChild(key: key, viewModel: viewModel))
        return StoredEntry(number: number, key: nil, content: .navigation(change))
    }
}

extension SavedValue {
    init(_ name: String, _ text: String) {
        self.init(name: name, text: Array(text.utf8))
    }
}
