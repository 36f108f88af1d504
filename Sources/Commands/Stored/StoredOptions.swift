/// The options of `sessions`.
struct StoredOptions: CommandOptions {
    enum Action: Equatable {
        case list
        case show(key: String)
        case export(key: String)
        case remove(key: String)
    }

    var store = StoreOptions()
    private var words: [String] = []

    init() {}

    /// Returns the action that the words name.
    ///
    /// - Throws: `UsageError` for words that name no action.
    func action() throws -> Action {
        guard let word = words.first else { return .list }
        // An empty word comes from a script's variable that wasn't set, and would match any key.
        guard words.count == 2, !words[1].isEmpty else {
            throw UsageError(message: "\(word) takes the key of one session")
        }
        switch word {
        case "show": return .show(key: words[1])
        case "export": return .export(key: words[1])
        case "remove": return .remove(key: words[1])
        default: throw UsageError(message: "unknown action '\(word)': there are show, export and remove")
        }
    }

    mutating func take(_ argument: String) throws {
        words.append(argument)
    }

    func check() throws {
        guard store.place != nil else {
            throw UsageError(message: "name the store with --store sqlite:PATH, redis://HOST:PORT or unix:///PATH")
        }
        try store.check()
        _ = try action()
    }

    static func flag(_ option: String) -> ((inout StoredOptions) -> Void)? { nil }

    static func value(_ option: String) -> ((inout StoredOptions, String) throws -> Void)? {
        switch option {
        case "--store": { try $0.store.setStore($1) }
        case "--store-password-file": { $0.store.passwordFile = $1 }
        default: nil
        }
    }

    static func help(name: String) -> String {
        """
        Lists the durable sessions in a store, shows and exports them, and removes them.

        Usage: \(name) sessions --store STORE
               \(name) sessions show KEY --store STORE
               \(name) sessions export KEY --store STORE
               \(name) sessions remove KEY --store STORE

        Without more it lists all sessions: the key's beginning, the view model, the number of the newest event, when it
        was used last, the size, and the server that has it, where several share the store. A line that is indented is
        shown on the session above it. KEY may be the beginning of a key. A key is the right to see its session, so what 'export' prints is to be kept from others.

          show                  prints the state, the shared objects, the arguments, the clients and the log
          export                prints a transcript in which a client attaches and gets the log; 'replay' plays it
                                against a server with this store, or one with a copy of it
          remove                removes a session with all that is shown on it; not while a server has it

        Options:
          --store sqlite:PATH   the store; a server may have it, and isn't disturbed
          --store ADDRESS       a Redis, as redis://[USER:PASSWORD@]HOST[:PORT][/DB] or unix:///PATH[?db=DB]
          --store-password-file PATH
                                the password of Redis, which is better not in an argument, that others can read;
                                also in \(StoreOptions.passwordVariable)
          --help                prints this

        Status: 0, 1 where there is no such session, 64 for a wrong option, 69 where the store can't be used.
        """
    }
}
