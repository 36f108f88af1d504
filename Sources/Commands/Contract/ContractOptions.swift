/// The arguments of `contract`.
struct ContractOptions: CommandOptions {
    /// The paths of symbol graphs, or of folders with them.
    var symbols: [String] = []
    /// The folder of the contracts; nil for the usual folder in a package.
    var output: String?
    var folder: String { output ?? "Schemas/view-models" }
    var isCheck = false
    /// A folder with the contracts of an older version, to compare the code with instead of its own contracts.
    var against: String?
    /// Whether the package is the one that declares the protocol. Then the protocol's schemas and the tables in its reference
    /// are made, too.
    var includesProtocol = false
    /// The folders for the types for TypeScript and Python clients; nil if there are none to write.
    var typescript: String?
    var python: String?
    /// Whether types for clients are written instead of schemas.
    var isForClients: Bool { typescript != nil || python != nil }

    func check() throws {
        if against != nil {
            guard isCheck, !isForClients, output == nil else {
                throw UsageError(message: "--against goes with --check, and with neither a client's types nor --output")
            }
        }
        // A package's own files have descriptions, which would be lost without symbol graphs.
        guard !symbols.isEmpty || (!isCheck && (isForClients || output != nil)) else {
            let command = "swift package contract\(isCheck ? " --check" : "")"
            throw UsageError(message: "doc comments come with --symbols: run it as '\(command)', or name an --output")
        }
    }

    static func flag(_ option: String) -> ((inout ContractOptions) -> Void)? {
        switch option {
        case "--check": { $0.isCheck = true }
        case "--protocol": { $0.includesProtocol = true }
        default: nil
        }
    }

    static func value(_ option: String) -> ((inout ContractOptions, String) throws -> Void)? {
        switch option {
        case "--symbols": { $0.symbols.append($1) }
        case "--output": { $0.output = $1 }
        case "--against": { $0.against = $1 }
        case "--typescript": { $0.typescript = $1 }
        case "--python": { $0.python = $1 }
        default: nil
        }
    }

    static func help(name: String, _ own: OwnOptions) -> String {
        """
        Writes the contract of each view model: the JSON Schema (draft 2020-12) of what it is opened with,
        of its view events and of its view model events; or types for clients.

        Usage: swift package contract [options]
               \(name) contract [options]

        Run by Swift's package manager, it has the package's doc comments, which become descriptions, and
        knows where in the source something stands. Without, it has neither, and can't see that a type
        encodes itself: enough for the types of a client, and for schemas in an --output of their own.

        Options:
          --check              writes nothing: shows what is out of date, and which changes break clients
                               or sessions that are stored
          --against FOLDER     with --check: compares with an older version's schemas in FOLDER, and fails
                               only where a change breaks clients or sessions that are stored
          --output FOLDER      where the schemas are (Schemas/view-models)
          --typescript FOLDER  writes types for the JavaScript client instead: FOLDER/view-models.d.ts
          --python FOLDER      writes types for the Python client instead: FOLDER/view_models.py
          --protocol           does the same for the schemas of the protocol and the tables of its reference,
                               in the package that declares the protocol
          --symbols PATH       a symbol graph of the view models' modules, or a folder of them; may be
                               given several times
          --help               prints this

        \(own.help(name, column: 23))A change breaks clients when something that they send is refused now, or something that they read
        is missing or of another type. New kinds of events, and new members that may be left out, don't.

        A change breaks stored sessions when the state that an older version has stored can't be read, or
        a part of it is read by nobody any more. What is new must be optional or a saved property. A view
        model with a higher savedStateVersion reads older states in savedState(from:version:): such
        changes are notes.

        Parts of a view model that compile and do nothing, such as a snapshot() of another type, are warnings.

        Status: 0 when all is written or up to date, 1 when something isn't, or an event or its type has a
        form that isn't certain (the rest is written all the same), 64 for a wrong option, 74 for a file
        that can't be read or written.
        """
    }
}
