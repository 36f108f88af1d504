import Testing

/// An editor that runs a script of `Clients/`, untouched by its user's settings.
struct Editor {
    let tool: Tool
    /// Runs the whole story and ends.
    let story: [String]
    /// Starts a server, initializes it, prints a line, and waits.
    let waiting: [String]

    /// Expects the story on standard output, word for word, and a good end.
    func tellsTheCounterStory() throws {
        let home = try TemporaryFolder()
        let program = try start(story, home)
        program.closeInput()
        let seen = try program.lines().joined(separator: "\n")
        #expect(seen == CounterStory.text)
        #expect(try program.end() == .status(0), "\(program.report)")
    }

    /// Expects that the server ends once `leave` has ended the editor, or parted from the server.
    func leavesNoServerBehind(_ leave: (Program) throws -> Void) throws {
        let home = try TemporaryFolder()
        let program = try start(waiting, home)
        try #require(try program.line() != nil, "\(program.report)")
        let child = try #require(try program.process.children().first)
        let server = try ProcessHandle(child)
        try leave(program)
        #expect(server.ends())
    }

    private func start(_ arguments: [String], _ home: TemporaryFolder) throws -> Program {
        var environment = ["VIEW_MODEL_SERVER": Checkout.server, "TERM": "dumb", "HOME": home.path]
        for name in ["CACHE", "CONFIG", "DATA", "STATE"] { environment["XDG_\(name)_HOME"] = home.path }
        return try Program(tool.command, arguments, environment: environment)
    }
}
