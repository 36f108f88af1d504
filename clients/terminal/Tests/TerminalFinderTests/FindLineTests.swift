import Contracts
import TerminalClient
import TerminalFinder
import TestSupport
import Testing

/// The line that opens a picker.
@Suite(.inTurn) struct FindLineTests {
    @Test(arguments: [
        ("find", "", []), ("find view model", "view model", []), ("find root=Sources", "", ["root=Sources"]),
        ("find TODO mode=text hidden=true", "TODO", ["mode=text", "hidden=true"]), (#"find "'exact""#, "'exact", []),
        ("find !test .swift$", "!test .swift$", []),
    ])
    func `words are what to look for, members how`(_ line: String, _ text: String, _ members: [String]) throws {
        guard case .added("find", let words)? = try ConsoleCommand.reading(line, adding: ["find"]) else {
            Issue.record("\(line) is another command")
            return
        }
        let query = Finding.query(in: words)
        #expect(query.text == text)
        #expect(query.members.map(\.text) == members)
    }

    @Test func `the word is an event where the executable has no finder`() throws {
        #expect(try ConsoleCommand.reading("find x") == ConsoleCommand.reading("send find x"))
        #expect(Completer().complete("fi").candidates.isEmpty)
        #expect(!ConsoleWord.helpText().contains("find"))
    }

    @Test func `the help has it behind what shows, and fits as before`() {
        let lines = ConsoleWord.helpText(adding: [Finding.command]).split(separator: "\n").map(String.init)
        let words = lines.map { String($0.prefix { $0 != " " }) }
        #expect(words.firstIndex(of: "find") == words.firstIndex(of: "rows").map { $0 + 1 })
        #expect(lines.allSatisfy { $0.count <= 78 })
    }

    @Test func `Tab completes the finder's arguments and the modes`() {
        var completer = Completer()
        completer.viewModels = ["finder"]
        completer.added = [Finding.command]
        #expect(completer.complete("find mo").candidates.map(\.text) == ["mode="])
        #expect(completer.complete("find x mode=").candidates.map(\.text) == ["mode=files", "mode=text", "mode=regex"])
        let arguments = #"{"type":"object","properties":{"root":{"type":"string"}}}"#
        let contract = try? JSONTree(parsing: #"{"name":"finder","arguments":\#(arguments)}"#)
        completer.known["finder"] = ViewModelForms(name: "finder", contract: contract ?? .null)
        #expect(completer.complete("find ").candidates.map(\.text) == ["root=", "mode="])
        #expect(completer.complete("find one two ro").candidates.map(\.text) == ["root="])
    }
}
