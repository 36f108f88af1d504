import FoundationEssentials
import TerminalClient
import Testing

struct HistoryFileTests {
    @Test func `lines are there in the next run, for nobody else, and only so many`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "history-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = HistoryFile(path: "\(folder)/state/history")
        #expect(file.read() == [])
        for number in 0...2 * History.capacity { file.append("line \(number)") }
        #expect(file.read().count == 2 * History.capacity + 1)
        // The file was cut when it was read.
        #expect(file.read().count == History.capacity && file.read().last == "line \(2 * History.capacity)")
        file.append("two\nlines")
        #expect(file.read().last == "two lines")
        for (path, permissions) in [(file.path, 0o600), ("\(folder)/state", 0o700)] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == permissions)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/state") == ["history"])
    }

    @Test func `where nothing can be kept, nothing is`() {
        let file = HistoryFile(path: "/dev/null/history")
        file.append("line")
        #expect(file.read() == [])
    }
}

struct CandidateListTests {
    private func lines(_ candidates: [Completion.Candidate]) -> [String] {
        CandidateList(columns: 24, style: .plain).lines(candidates)
    }

    @Test func `candidates stand in columns, those with a note in a line each`() {
        let plain = ["one", "three", "five", "seven"].map { Completion.Candidate(text: $0) }
        #expect(lines(plain) == ["  one    three  five   ", "  seven  "])
        let noted = Completion.Candidate(text: "increment", note: "by=INTEGER to=INTEGER")
        #expect(lines([noted] + plain.prefix(1)) == ["  increment  by=INTEGE…", "  one        "])
    }

    @Test func `too many are only counted`() {
        #expect(lines((0...200).map { Completion.Candidate(text: "\($0)") }) == ["  201 possibilities"])
    }
}
