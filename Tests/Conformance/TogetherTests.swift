import FoundationEssentials
import Testing

/// Three people in their own programs on one board, over kills of the server and until the next day. `Tests/Together/run` plays it.
@Suite(
    .ownThreadAtOnce, .drivesHostPrograms, .enabled(if: Tool.python.isInstalled, "Python isn't installed"),
    .enabled(if: Tool.neovim.isInstalled, "Neovim isn't installed"),
    .enabled(if: Tool.tmux.isInstalled, "tmux isn't installed"),
    .enabled(if: Tool.chromedriver.isInstalled, "chromedriver isn't installed"))
struct TogetherTests {
    @Test func `three who work on one board, each in a program of their own, lose nothing and see nothing twice`()
        throws
    {
        let python = try Program(
            Tool.python.command, [Checkout.root + "/Tests/Together/run", "--server", Checkout.server])
        #expect(try python.lines() == ["15 cards of three people, 3 kills and a new day: kept"])
        #expect(try python.end() == .status(0), "\(python.report)")
    }
}
