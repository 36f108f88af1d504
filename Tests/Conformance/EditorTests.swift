import Glibc
import Testing

@Suite(.enabled(if: Tool.emacs.isInstalled, "Emacs isn't installed"), .ownThread)
struct EmacsTests {
    private static let script = Checkout.conformance("Clients/counter.el")

    @Test func `Emacs's own client holds a session`() throws {
        try Self.emacs(thenDoes: "").tellsTheCounterStory()
    }

    @Test func `Emacs, killed, leaves no server behind`() throws {
        try Self.emacs(thenDoes: "").leavesNoServerBehind { try $0.signal(SIGKILL) }
    }

    /// Emacs sends SIGHUP and closes its ends of the pipes.
    @Test func `Emacs, ended by its user, leaves no server behind`() throws {
        try Self.emacs(thenDoes: "(kill-emacs 0)").leavesNoServerBehind {
            try $0.send("")
            #expect(try $0.end() == .status(0))
        }
    }

    @Test func `a connection that is deleted in Emacs leaves no server behind`() throws {
        try Self.emacs(thenDoes: "(jsonrpc-shutdown counter-connection)").leavesNoServerBehind { try $0.send("") }
    }

    /// An Emacs that waits for a line, evaluates `action`, and waits again.
    private static func emacs(thenDoes action: String) -> Editor {
        let waiting = """
            (progn (counter-connect) (counter-initialize)
                   (ignore-errors (read-string "")) \(action)
                   (while t (accept-process-output nil 1)))
            """
        return Editor(
            tool: .emacs,
            story: ["-Q", "--batch", "-l", script, "-f", "counter-run"],
            waiting: ["-Q", "--batch", "-l", script, "--eval", waiting])
    }
}

@Suite(
    .enabled(if: vimHasChannels, "Vim with channels isn't installed: Debian's vim has them, vim-tiny not"), .ownThread)
struct VimTests {
    private let vim = Editor(
        tool: .vim,
        story: ["-Nu", "NONE", "-es", "-S", Checkout.conformance("Clients/counter.vim")],
        waiting: [
            "-Nu", "NONE", "-es",
            "-c", "let job = job_start([$VIEW_MODEL_SERVER, '--stdio'], #{in_mode: 'lsp', out_mode: 'lsp'})",
            "-c", "call ch_evalexpr(job, #{method: 'initialize'}, #{timeout: 30000})",
            "-c", "call writefile(['ready'], '/dev/stdout', 'a')",
            "-c", "sleep 600",
        ])

    @Test func `Vim's own channel holds a session`() throws {
        try vim.tellsTheCounterStory()
    }

    @Test func `Vim, killed, leaves no server behind`() throws {
        try vim.leavesNoServerBehind { try $0.signal(SIGKILL) }
    }
}

/// A small Vim has no channels and says so in its list of features.
let vimHasChannels: Bool = {
    guard Tool.vim.isInstalled, let vim = try? Program(Tool.vim.command, ["--version"]) else { return false }
    vim.closeInput()
    return (try? vim.lines().contains { $0.contains("+channel") }) ?? false
}()

@Suite(.enabled(if: Tool.neovim.isInstalled, "Neovim isn't installed"), .ownThread)
struct NeovimTests {
    private let neovim = Editor(
        tool: .neovim,
        story: ["--headless", "-u", "NONE", "-S", Checkout.conformance("Clients/counter.lua")],
        waiting: [
            "--headless", "-u", "NONE", "-c",
            """
            lua vim.lsp.start_client({
              cmd = { vim.env.VIEW_MODEL_SERVER, '--stdio' },
              on_init = function() io.stdout:write('ready\\n') io.stdout:flush() end,
            })
            """,
        ])

    @Test func `Neovim's own client holds a session`() throws {
        try neovim.tellsTheCounterStory()
    }

    @Test func `Neovim, killed, leaves no server behind`() throws {
        try neovim.leavesNoServerBehind { try $0.signal(SIGKILL) }
    }
}

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
        #expect(seen == Self.counterStory)
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

    /// The output of each editor's script in `Clients`: the same session everywhere.
    private static let counterStory = """
        initialize: view-model-server speaks 1.2
        session/open counter: session 1
        session 1 event 1: count 5
        session 1 event 2: count 8
        increment by 3: seq 2
        session 1 event 3: count 9
        session 1 event 4: count 10
        session 1 event 5: count 5
        reset: seq 5
        session 1 event 6: 100 rows from "Order #0" to "Order #99" at 123.45
        load: seq 6
        increment by "x": error -32602 at /event/by
        session 1 event 7: count 0
        increment by -5: seq 7
        session 1 event 8: count 9200000000000000000
        increment by 9200000000000000000: seq 8
        increment by 9200000000000000000: error -32014, \
        9200000000000000000 + 9200000000000000000 is beyond what a counter can hold
        session/open orders: session 2
        session 2 event 1: loading
        session 2 event 2: not loading
        loadOrders: cancelled
        session/list: 1 2
        session/close 2: done
        session/close 1: done
        reset after close: error -32012, there is no session 1 on this connection, or it is closed
        shutdown: done
        exit: status 0
        """
}
