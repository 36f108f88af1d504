import Contracts
import TerminalClient
import TestSupport
import Testing

/// The line that opens a picker, and the editor that it opens files in.
@Suite(.inTurn) struct FindLineTests {
    @Test(arguments: [
        ("find", "", []), ("find view model", "view model", []), ("find root=Sources", "", ["root=Sources"]),
        ("find TODO mode=text hidden=true", "TODO", ["mode=text", "hidden=true"]), (#"find "'exact""#, "'exact", []),
        ("find !test .swift$", "!test .swift$", []),
    ])
    func `words are what to look for, members how`(_ line: String, _ text: String, _ members: [String]) throws {
        guard case .find(let found, let words)? = try ConsoleCommand.reading(line) else {
            Issue.record("\(line) is another command")
            return
        }
        #expect(found == text)
        #expect(words.map(\.text) == members)
    }

    @Test func `Tab completes the finder's arguments and the modes`() {
        var completer = Completer()
        completer.viewModels = ["finder"]
        #expect(completer.complete("find mo").candidates.map(\.text) == ["mode="])
        #expect(completer.complete("find x mode=").candidates.map(\.text) == ["mode=files", "mode=text", "mode=regex"])
        let arguments = #"{"type":"object","properties":{"root":{"type":"string"}}}"#
        let contract = try? JSONTree(parsing: #"{"name":"finder","arguments":\#(arguments)}"#)
        completer.known["finder"] = ViewModelForms(name: "finder", contract: contract ?? .null)
        #expect(completer.complete("find ").candidates.map(\.text) == ["root=", "mode="])
        #expect(completer.complete("find one two ro").candidates.map(\.text) == ["root="])
    }

    @Test(
        arguments: [
            (["VISUAL": "vim", "EDITOR": "ed"], ["vim"]), (["EDITOR": "code --wait  -n"], ["code", "--wait", "-n"]),
            (["VISUAL": "", "EDITOR": "ed"], ["ed"]), (["VISUAL": " "], nil), ([:], nil),
        ] as [([String: String], [String]?)])
    func `the editor is the one that git would take`(_ environment: [String: String], _ words: [String]?) {
        #expect(EditorCommand { environment[$0] }?.words == words)
    }

    @Test func `the editor gets the line before the file`() throws {
        let editor = try #require(EditorCommand { _ in "vim -R" })
        #expect(editor.words(for: ChosenFile(path: "/a b", line: 3)) == ["vim", "-R", "+3"])
        #expect(editor.words(for: ChosenFile(path: "/a")) == ["vim", "-R"])
    }

    @Test(
        arguments: [
            ("file:///a%20b/%C3%A9%ff", Array("/a b/é".utf8) + [0xFF]), ("file:///a", Array("/a".utf8)),
            ("file:///a%2", nil), ("file:///%zz", nil), ("file:///%00", nil), ("http://host/a", nil),
            ("file://host/a", nil),
        ] as [(String, [UInt8]?)])
    func `a path is exact where it isn't UTF-8`(_ uri: String, _ bytes: [UInt8]?) {
        #expect(ChosenFile(path: "/shown", uri: uri).pathBytes == bytes ?? Array("/shown".utf8))
    }

    @Test func `the escape key is one where no byte follows it`() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(from: [0x61, 0x1B]) == [.text("a")])
        #expect(decoder.isAtEscape)
        let isOne = decoder.takeEscape()
        #expect(isOne)
        #expect(decoder.keys(from: Array("[A".utf8)) == [.text("[A")])
        #expect(decoder.keys(from: Array("\u{1B}[".utf8)) == [])
        let isPart = decoder.takeEscape()
        #expect(!isPart)
        #expect(decoder.keys(from: [0x41]) == [.up])
    }
}
