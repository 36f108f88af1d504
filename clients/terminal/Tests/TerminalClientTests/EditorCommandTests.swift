import TerminalClient
import TestSupport
import Testing

/// The editor that chosen files are opened in, and the key that leaves without one.
@Suite(.inTurn) struct EditorCommandTests {
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
