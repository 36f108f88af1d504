import Glibc
import Testing

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
