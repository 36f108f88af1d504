import FoundationEssentials
import Testing

/// Files that a hand or a full disk has spoiled: the error has the place in the form that editors and terminals find.
@Suite(.ownThread) struct BrokenTranscriptTests {
    enum Case: String, CaseIterable {
        case empty, noHeader, unknownVersion, badLine, cutOff, mistypedMember

        var text: String {
            let counter = TranscriptText.counter.joined(separator: "\n")
            return switch self {
            case .empty: ""
            case .noHeader: TranscriptText.counter.dropFirst().joined(separator: "\n")
            case .unknownVersion: #"{"transcript":99}"#
            case .badLine: "\(TranscriptText.header)\n\(TranscriptText.client(Wire.initialize))\nhello\n"
            case .cutOff: String(counter.prefix(TranscriptText.header.count + 60))
            case .mistypedMember: "\(TranscriptText.header)\n" + #"{"form":"client","message":{}}"#
            }
        }

        /// The line that is named, and a word of the reason.
        var place: (line: Int, word: String) {
            switch self {
            case .empty: (1, "empty")
            case .noHeader: (1, "header")
            case .unknownVersion: (1, "99")
            case .badLine: (3, "not JSON")
            case .cutOff: (2, "cut off")
            case .mistypedMember: (2, "\"form\"")
            }
        }
    }

    @Test(arguments: Case.allCases, ["replay", "mock"])
    func `a broken file is named with the line and what is wrong with it`(_ broken: Case, _ command: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("broken.jsonl")
        try broken.text.write(toFile: path, atomically: false, encoding: .utf8)
        let program = try Program(Checkout.server, [command, path])
        program.closeInput()
        let text = command == "replay" ? try program.lines().joined(separator: "\n") : try program.errorText()
        let (line, word) = broken.place
        let report = try #require(text.split(separator: "\n").first)
        #expect(report.contains("\(path):\(line): ") && report.contains(word))
        #expect(try program.end() == .status(1))
    }

    @Test(arguments: ["replay", "mock"])
    func `a file that isn't there is an error too`(_ command: String) throws {
        let program = try Program(Checkout.server, [command, "/nowhere/a.jsonl"])
        program.closeInput()
        let text = command == "replay" ? try program.lines().joined() : try program.errorText()
        #expect(text.contains("/nowhere/a.jsonl: No such file or directory"))
        #expect(try program.end() == .status(1))
    }
}
