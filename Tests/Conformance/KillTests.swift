import FoundationEssentials
import Testing

/// Servers with a store that end in the worst ways, and clients of every language that notice nothing. `Tests/Kill/run` says
/// what happens in each way. Beside all other tests it takes few kills; alone it takes as many as it is told.
@Suite(
    .ownThreadAtOnce, .serialized, .drivesHostPrograms, .enabled(if: Tool.python.isInstalled, "Python isn't installed"))
struct KillTests {
    @Test(arguments: ["kill", "process", "term", "lock", "full", "stop"])
    func `each event takes effect once, and each view sees each number once`(_ way: String) throws {
        try run(way)
    }

    @Test(
        .enabled(if: Tool.redis.isInstalled, "redis-server isn't installed"),
        arguments: ["kill", "process", "term", "stop"])
    func `so it is with Redis, which is killed now and then, too`(_ way: String) throws {
        try run(way, "--store", "redis")
    }

    private func run(_ way: String, _ more: String...) throws {
        let arguments = ["--server", Checkout.server, "--kills", "6", "--seconds", "15", way] + more
        let python = try Program(Tool.python.command, [Checkout.root + "/Tests/Kill/run"] + arguments)
        let lines = try python.lines()
        #expect(lines.count == 1 && lines[0].hasPrefix("\(way): ") && lines[0].hasSuffix(": kept"), "\(lines)")
        #expect(try python.end() == .status(0), "\(python.report)")
    }
}
