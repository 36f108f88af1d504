import FoundationEssentials
import Testing

/// The command `sessions`, on stores that were written by servers.
@Suite(.ownThread) struct StoredSessionsTests {
    @Test func `a store is listed and shown while its server runs, and what it exports is replayed against a copy`()
        throws
    {
        let folder = try TemporaryFolder()
        let store = "sqlite:\(folder.file("x.db"))"
        let server = try Program.server("--stdio", "--store", store)
        try server.send(
            Wire.initialize, Wire.open(2, "counter", #"{"start":40}"#),
            Wire.viewEvent(3, 1, #"{"kind":"increment","by":2}"#), Wire.open(4, "orders"),
            Wire.viewEvent(5, 2, #"{"kind":"loadOrders"}"#),
            Wire.viewEvent(6, 2, #"{"kind":"selectOrder","index":1}"#))
        try server.readLines { $0.contains(#""id":6,"#) }

        let list = try run("--store", store).lines
        #expect(list.count == 4 && list[0].hasPrefix("KEY"))
        let keys = list.dropFirst().map { String($0.drop { $0 == " " }.prefix(8)) }
        let counter = try #require(list.firstIndex { $0.contains("counter") }.map { keys[$0 - 1] })
        let shown = try run("show", counter, "--store", store).lines
        #expect(shown.contains("  count = 42") && shown.contains(#"arguments {"start":40}"#), "\(shown)")
        #expect(shown.last == #"  2 {"kind":"count","value":42}"#)

        let refused = try run("remove", counter, "--store", store)
        #expect(refused.ending == .status(69) && refused.errors.contains("process \(server.process.id)"))

        let child = try #require(list.firstIndex { $0.contains("orderDetails") }.map { keys[$0 - 1] })
        let unborn = try run("export", child, "--store", store)
        #expect(unborn.ending == .status(1) && unborn.errors.contains(" was never attached"))
        let exported = try keys.filter { $0 != child }.map { key in
            let export = try run("export", key, "--store", store)
            #expect(export.ending == .status(0), "\(export.errors)")
            return export.lines.joined(separator: "\n") + "\n"
        }
        #expect(try server.finish() == .status(1))
        for (index, text) in exported.enumerated() {
            let path = folder.file("\(index).jsonl")
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            // A client that attaches and leaves may change the store.
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: folder.file("x.db\(suffix)")) {
                try FileManager.default.copyItem(
                    atPath: folder.file("x.db\(suffix)"), toPath: folder.file("\(index).db\(suffix)"))
            }
            let copy = "sqlite:\(folder.file("\(index).db"))"
            let replay = try Program.server("replay", path, "--", Checkout.server, "--stdio", "--store", copy)
            replay.closeInput()
            let lines = try replay.lines()
            #expect(lines.last == "1 transcript, 0 failed", "\(lines)\n\(text)")
        }
    }

    @Test(.enabled(if: Tool.python.isInstalled, "python3 isn't installed"))
    func `a server whose file is locked at its start waits for it, and one whose file another server has ends`() throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("x.db")
        let other = try Program(
            Tool.python.command,
            [
                "-c",
                """
                import sqlite3, sys
                store = sqlite3.connect(sys.argv[1], isolation_level=None)
                store.execute("BEGIN EXCLUSIVE")
                print("locked", flush=True)
                sys.stdin.read()
                """, path,
            ])
        #expect(try other.line() == "locked")
        let arguments = ["--tcp", "0", "--store", "sqlite:\(path)", "--log-level", "info"]
        let server = try Program(Checkout.server, arguments)
        let line = try #require(try server.errorLine())
        #expect(line.contains("waiting for the store before clients are served: ") && line.contains("is locked"))
        #expect(try other.finish() == .status(0))
        _ = try server.listeningAddress()

        let second = try Program(Checkout.server, arguments)
        #expect(try second.errorText().contains("is in use by another server, process \(server.process.id)"))
        #expect(try second.end() == .status(69))
        try server.signal(15)
        #expect(try server.end() == .status(0))
    }

    @Test func `a session is removed with all that is shown on it`() throws {
        let folder = try TemporaryFolder()
        let store = "sqlite:\(folder.file("x.db"))"
        let server = try Program.server("--stdio", "--store", store)
        try server.send(
            Wire.initialize, Wire.open(2, "orders"), Wire.viewEvent(3, 1, #"{"kind":"loadOrders"}"#),
            Wire.viewEvent(4, 1, #"{"kind":"selectOrder","index":1}"#))
        try server.readLines { $0.contains(#""id":4,"#) }
        #expect(try server.finish() == .status(1))
        let keys = try run("--store", store).lines.dropFirst().map { String($0.drop { $0 == " " }.prefix(8)) }
        try #require(keys.count == 2)
        let child = try run("remove", keys[1], "--store", store)
        #expect(child.ending == .status(1) && child.errors.contains("is shown on \(keys[0])"))
        #expect(try run("remove", keys[0], "--store", store).ending == .status(0))
        #expect(try run("--store", store).lines == ["no sessions"])
        #expect(try run("show", keys[0], "--store", store).ending == .status(1))
        let missing = try run("--store", "sqlite:\(folder.file("none.db"))")
        #expect(missing.ending == .status(64) && missing.errors.contains("there is no store"))
    }

    private func run(
        _ arguments: String...
    ) throws -> (lines: [String], errors: String, ending: Program.Ending) {
        let program = try Program(Checkout.server, ["sessions"] + arguments)
        program.closeInput()
        return (try program.lines(), try program.errorText(), try program.end())
    }
}
