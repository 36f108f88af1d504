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

    /// An Emacs that waits for a line, does as it is told, and waits on.
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
