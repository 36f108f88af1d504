import FoundationEssentials
import Glibc
import Testing

/// How much it takes to add a method, tried on a copy of the sources that serve. Their build keeps two cores busy for minutes.
@Suite(.ownThread, .enabled(if: getenv("LONG_TESTS") != nil, "it builds for minutes; LONG_TESTS=1 runs it"))
struct NewMethodTests {
    private static let list = "Serving/Methods/Methods.swift"
    private static let type = "ViewModelProtocol/Methods/SessionCount.swift"
    private static let line =
        "        .answer(SessionCount.self) { connection, _ in .init(count: .init(connection.views.table.count)) },\n"

    @Test func `a method is a file, a line and a transcript; everything else follows`() throws {
        let folder = try TemporaryFolder()
        let copies = try copySources(to: folder)
        try addMethod(in: folder)

        let (added, changed) = try differences(of: copies, in: folder)
        #expect(added == [Self.type])
        #expect(changed == [Self.list: 1])

        let lines = try replay(in: folder)
        #expect(lines["replayed"] == "session-count (4 messages)")
        #expect(lines["problems"] == "0")
        #expect(lines["table"]?.contains("| `session/count` | request |  | `count` |") == true)
        for made in ["schema", "openrpc"] {
            #expect(lines[made]?.contains(#""session/count""#) == true, "\(made) has the method")
            #expect(lines[made]?.contains("session~1count.result") == true, "\(made) has its result")
        }
    }

    /// Returns the names of the targets that were copied.
    private func copySources(to folder: TemporaryFolder) throws -> [String] {
        let original = Checkout.conformance("NewMethod")
        let manifest = try String(contentsOfFile: "\(original)/Package.swift", encoding: .utf8)
        try manifest.write(toFile: folder.file("Package.swift"), atomically: false, encoding: .utf8)
        try FileManager.default.copyItem(atPath: "\(original)/Sources", toPath: folder.file("Sources"))
        let names = manifest.matches(of: /\.target\(\s*name: "(\w+)"/).map { String($0.output.1) }
        for name in names {
            try FileManager.default.copyItem(
                atPath: "\(Checkout.root)/Sources/\(name)", toPath: folder.file("Sources/\(name)"))
        }
        // The web client's files are compiled into a target.
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("clients"), withDestinationPath: "\(Checkout.root)/clients")
        return names
    }

    private func addMethod(in folder: TemporaryFolder) throws {
        try FileManager.default.copyItem(
            atPath: Checkout.conformance("NewMethod/SessionCount.swift"), toPath: folder.file("Sources/\(Self.type)"))
        let path = folder.file("Sources/\(Self.list)")
        let list = try String(contentsOfFile: path, encoding: .utf8)
        let end = try #require(list.firstRange(of: "\n    ]\n"))
        let longer = list[..<end.lowerBound] + "\n" + Self.line.dropLast() + list[end.lowerBound...]
        try String(longer).write(toFile: path, atomically: false, encoding: .utf8)
    }

    /// The files that the copy has beside the original's, and the count of further lines of those that differ.
    private func differences(
        of targets: [String], in folder: TemporaryFolder
    ) throws -> (added: [String], changed: [String: Int]) {
        var (added, changed): ([String], [String: Int]) = ([], [:])
        for target in targets {
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.file("Sources/\(target)")) {
                let path = "\(target)/\(name)"
                guard let text = try? String(contentsOfFile: folder.file("Sources/\(path)"), encoding: .utf8) else {
                    continue
                }
                guard let original = try? String(contentsOfFile: "\(Checkout.root)/Sources/\(path)", encoding: .utf8)
                else {
                    added.append(path)
                    continue
                }
                let difference = text.split(separator: "\n").difference(from: original.split(separator: "\n"))
                if !difference.isEmpty { changed[path] = difference.count }
            }
        }
        return (added, changed)
    }

    /// Builds the program and has it play the new method's transcript. Returns its lines by their first words.
    private func replay(in folder: TemporaryFolder) throws -> [String: String] {
        let swift = try Program(
            Tool.swift.command, ["build", "--package-path", folder.path, "--scratch-path", folder.file("build")])
        swift.closeInput()
        let log = try swift.lines().joined(separator: "\n")
        try #require(try swift.end() == .status(0), "\(log)\n\(swift.report)")
        let probe = try Program(
            folder.file("build/debug/probe"), [Checkout.conformance("NewMethod/session-count.jsonl")])
        let lines = try probe.lines()
        #expect(try probe.end() == .status(0), "\(probe.report)")
        return Dictionary(
            lines.map { line in
                let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
                return (parts[0], parts.count > 1 ? parts[1] : "")
            }, uniquingKeysWith: { first, _ in first })
    }
}
