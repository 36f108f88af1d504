import Commands
import TestSupport
import Testing
import Transport

/// With shell scripts in the places of SwiftPM and of the server.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct DevSupervisorTests {
    @Test func `a change is built, and the new server follows on the same socket when the old one has ended`()
        async throws
    {
        let stage = try await Stage()
        try await stage.begin()
        try await stage.log("v1 up\n")
        let socket = stage.folder.text("socket")
        #expect(socket.hasPrefix("socket:["))

        try await stage.change(to: "v2")
        try await stage.log("v1 up\nv1 end\nv2 up\n")
        #expect(stage.folder.text("socket") == socket)
        #expect(stage.state == #"{"state":"built","log":""}"#)
        let said = stage.said.elements.map { $0.replacing(#/ [0-9.]+ s/#, with: " 0 s") }
        #expect(said == ["building…", "built in 0 s", "building…", "built in 0 s, the server starts anew"])
        try await stage.end()
        #expect(stage.folder.text("log") == "v1 up\nv1 end\nv2 up\nv2 end\n")
    }

    @Test func `a build that fails leaves the server running, and its words are in the state and the terminal`()
        async throws
    {
        let stage = try await Stage()
        try await stage.begin()
        try await stage.log("v1 up\n")
        try stage.folder.write("status", "1")
        try await stage.change(to: "v2")
        await until { stage.said.elements.last == "the build failed; the server goes on with the code before" }
        #expect(stage.said.elements.contains("main.swift:1:1: error: v2 is \"wrong\""))
        #expect(!stage.said.elements.contains { $0.contains("Compiling") })
        #expect(stage.state == #"{"state":"failed","log":"main.swift:1:1: error: v2 is \"wrong\""}"#)
        #expect(stage.folder.text("log") == "v1 up\n")

        try stage.folder.write("status", "0")
        try await stage.change(to: "v3")
        try await stage.log("v1 up\nv1 end\nv3 up\n")
        try await stage.end()
    }

    @Test func `changes while it is built lead to one build more`() async throws {
        let stage = try await Stage()
        try await stage.begin()
        try await stage.log("v1 up\n")
        try stage.folder.write("hold", "")
        try await stage.change(to: "v2")
        await until { stage.folder.text("builds") == "v1\nv2\nheld\n" }
        try await stage.change(to: "v3")
        try await stage.change(to: "v4")
        try stage.release()
        try await stage.log("v1 up\nv1 end\nv4 up\n")
        #expect(stage.folder.text("builds") == "v1\nv2\nheld\nv4\n")
        try await stage.end()
    }

    @Test func `changes that come together are built once, when they are over`() async throws {
        let stage = try await Stage()
        try await stage.begin()
        try await stage.log("v1 up\n")
        for _ in 0..<5 {
            try await stage.onLoop { $0.sourcesDidChange() }
            try await stage.advance(by: .milliseconds(99))
        }
        #expect(stage.folder.text("builds") == "v1\n")
        try stage.folder.write("version", "v2")
        try await stage.advance(by: .milliseconds(1))
        try await stage.log("v1 up\nv1 end\nv2 up\n")
        #expect(stage.folder.text("builds") == "v1\nv2\n")
        try await stage.end()
    }

    @Test func `a server that ends by itself is reported, and started again by the next change`() async throws {
        let stage = try await Stage()
        try stage.folder.write("version", "crash")
        try await stage.begin()
        let words = "the server ended with status 3; it is started again after the next change"
        await until { stage.said.elements.last == words }
        try await stage.change(to: "v2")
        try await stage.log("crash up\nv2 up\n")
        try await stage.end()
    }

    @Test func `a server that doesn't end in time is killed`() async throws {
        let stage = try await Stage()
        try stage.folder.write("version", "deaf")
        try await stage.begin()
        try await stage.log("deaf up\n")
        try await stage.change(to: "v2")
        await until { stage.said.elements.last?.hasSuffix("the server starts anew") == true }
        try await stage.advance(by: .seconds(15))
        try await stage.log("deaf up\nv2 up\n")
        #expect(stage.said.elements.last == "the server doesn't end, and is killed")
        try await stage.end()
    }

    @Test func `the end interrupts a build, and the second one kills what still runs`() async throws {
        let stage = try await Stage()
        try stage.folder.write("version", "deaf")
        try await stage.begin()
        try await stage.log("deaf up\n")
        try stage.folder.write("hold", "")
        try await stage.change(to: "v2")
        await until { stage.folder.text("builds") == "deaf\nv2\nheld\n" }
        try await stage.onLoop { $0.end() }
        await until { stage.folder.text("builds") == "deaf\nv2\nheld\ninterrupted\n" }
        #expect(stage.ends.elements.isEmpty)
        try await stage.end()
        #expect(stage.folder.text("log") == "deaf up\n")
    }

    @Test func `a builder that isn't there is an error in the terminal and in the state`() async throws {
        let stage = try await Stage(builder: "/nowhere/swift")
        try await stage.begin()
        await until { stage.said.elements.last == "the build failed; the code of an earlier one is served" }
        #expect(stage.state.contains("/nowhere/swift"))
        try await stage.log("v1 up\n")
        try await stage.end()
    }
}

/// A supervisor, a builder and a server whose code is the word in the file `version`.
private final class Stage: Sendable {
    let folder: ScratchFolder
    let said = Recorder<String>()
    let ends = Recorder<Void>()
    private let loop: EventLoop
    private let clock = ManualClock()
    private let supervisor: LoopBound<DevSupervisor>

    private static let builder = """
        #!/bin/sh
        cd "$(dirname "$0")"
        version=$(cat version)
        trap 'echo interrupted >> builds; exit 1' INT
        echo $version >> builds
        echo "[1/2] Compiling main.swift"
        if test -e hold; then echo held >> builds; read line < pipe; fi
        if test "$(cat status)" != 0; then
            echo "main.swift:1:1: error: $version is \\"wrong\\"" >&2
            exit 1
        fi
        echo $version > built
        """

    private static let server = """
        #!/bin/sh
        cd "$(dirname "$0")"
        version=$(cat built)
        test "$LISTEN_PID $LISTEN_FDS" = "$$ 1" && readlink /proc/$$/fd/3 > socket
        trap 'echo $version end >> log; exit 0' TERM
        test $version = deaf && trap '' TERM
        echo $version up >> log
        test $version = crash && exit 3
        read line < forever
        """

    /// Not started as a program: the kernel refuses one that a process may write, as each does for a moment that another test
    /// started while this one was being written ("Text file busy").
    private static func command(_ script: String) -> [String] { ["/bin/sh", script] }

    init(builder: String? = nil) async throws {
        let folder = try ScratchFolder()
        try folder.write("build.sh", Self.builder)
        try folder.write("server.sh", Self.server)
        for (name, text) in [("version", "v1"), ("built", "v1"), ("status", "0")] { try folder.write(name, text) }
        try folder.makePipe("pipe")
        // Nobody writes to it. A `sleep` would outlive a server that is killed.
        try folder.makePipe("forever")
        self.folder = folder
        let loop = try EventLoop(name: "stage", clock: clock)
        try loop.start()
        self.loop = loop
        let settings = DevSupervisor.Settings(
            build: builder.map { [$0] } ?? Self.command(folder.file("build.sh")),
            server: Self.command(folder.file("server.sh")), stateFile: folder.file("state.json"))
        let (said, ends) = (said, ends)
        supervisor = try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                continuation.resume(
                    with: Result {
                        let supervisor = DevSupervisor(
                            settings, socket: try ListeningSocket(host: "127.0.0.1", port: 0), on: loop,
                            say: { said.record($0) }, didEnd: { ends.record(()) })
                        return LoopBound(supervisor, loop: loop)
                    })
            }
        }
    }

    /// What still runs is killed.
    deinit {
        loop.stop()
    }

    func onLoop(_ body: @escaping @Sendable (DevSupervisor) -> Void) async throws {
        await withCheckedContinuation { continuation in
            loop.execute { [supervisor] in
                body(supervisor.value)
                continuation.resume()
            }
        }
    }

    func begin() async throws { try await onLoop { $0.begin() } }

    /// A change that nothing follows for long enough.
    func change(to version: String) async throws {
        try folder.write("version", version)
        try await onLoop { $0.sourcesDidChange() }
        try await advance(by: .milliseconds(100))
    }

    func advance(by duration: Duration) async throws {
        try await onLoop { [clock] _ in clock.advance(by: duration) }
        try await onLoop { _ in }
    }

    /// Lets the builder that has said `held` go on.
    func release() throws {
        try folder.remove("hold")
        try folder.write(toPipe: "pipe", "go\n")
    }

    /// Waits until the servers have done this.
    func log(_ text: String) async throws {
        await until { folder.text("log") == text }
    }

    var state: String { folder.text("state.json") }

    func end() async throws {
        try await onLoop { $0.end() }
        _ = await ends.elements(count: 1)
    }
}
