import Glibc
import Testing

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
