import TerminalClient
import Testing

struct LineEditorTests {
    /// The typed text, the keys that follow, and the line with `|` for the cursor.
    @Test(
        arguments: [
            ("abc", [], "abc|"),
            ("abc", [.left], "ab|c"), ("abc", [.left, .left, .left, .left], "|abc"), ("abc", [.home, .right], "a|bc"),
            ("abc", [.home, .end], "abc|"), ("abc", [.control("a"), .control("e")], "abc|"),
            ("abc", [.control("b"), .control("b"), .control("f")], "ab|c"), ("abc", [.right], "abc|"),
            ("abc", [.backspace], "ab|"), ("abc", [.home, .backspace], "|abc"), ("abc", [.home, .delete], "|bc"),
            ("abc", [.delete], "abc|"), ("abc", [.left, .text("x")], "abx|c"),
            ("one two", [.alt("b")], "one |two"), ("one two", [.alt("b"), .alt("b")], "|one two"),
            ("one two", [.home, .alt("f")], "one| two"),
            ("one  two", [.wordLeft, .wordLeft, .wordRight, .wordRight], "one  two|"),
            ("a.b", [.alt("b")], "a.|b"), ("by=2 ", [.control("w")], "|"), ("open a.b", [.control("w")], "open |"),
            ("open a.b", [.alt("\u{7F}")], "open a.|"), ("one two", [.home, .alt("d")], "| two"),
            ("one two", [.alt("b"), .control("k")], "one |"), ("one two", [.alt("b"), .control("u")], "|two"),
            ("one two", [.control("w"), .home, .control("y")], "two|one "), ("ab", [.control("t")], "ba|"),
            ("abc", [.left, .control("t")], "acb|"), ("a", [.control("t")], "a|"), ("", [.control("t")], "|"),
            ("", [.control("w"), .control("k"), .control("u"), .backspace, .delete, .left, .wordLeft, .alt("d")], "|"),
            ("日本👍🏽", [.left], "日本|👍🏽"), ("日本👍🏽", [.backspace], "日本|"), ("e", [.text("\u{301}"), .backspace], "|"),
            ("ae", [.left, .right, .text("\u{301}"), .left], "a|é"),
        ] as [(String, [Key], String)])
    func `keys edit the line`(_ text: String, _ keys: [Key], _ shown: String) {
        var editor = LineEditor()
        let taken = ([.text(text)] + keys).filter { editor.take($0) }
        #expect(taken.count == keys.count + 1)
        #expect("\(editor.left)|\(editor.right)" == shown)
    }

    @Test func `characters that would move the terminal's cursor aren't taken in`() {
        var editor = LineEditor()
        editor.insert("a\u{9B}2Jb\n")
        #expect(editor.text == "a2Jb")
        editor.replace(with: "\u{1B}[2J")
        #expect(editor.text == "[2J")
    }

    @Test(arguments: [Key.enter, .tab, .up, .other, .control("c"), .alt("q")])
    func `a key that isn't for editing is left alone`(_ key: Key) {
        var editor = LineEditor()
        let isTaken = editor.take(key)
        #expect(!isTaken)
    }
}

struct HistoryTests {
    @Test func `it goes back to the first line, and forth to the one that was being typed`() {
        var history = History(["one", "two"])
        #expect(history.previous("dra") == "two")
        #expect(history.previous("two") == "one")
        #expect(history.previous("one") == nil)
        #expect(history.next() == "two")
        #expect(history.next() == "dra")
        #expect(history.next() == nil)
    }

    @Test func `a line is kept unless it is empty or the same once more`() {
        var history = History()
        let kept = [" ", "one", "one", "two", "one"].filter { history.add($0) }
        #expect(kept == ["one", "two", "one"])
        #expect(history.lines == ["one", "two", "one"])
    }

    @Test func `it holds the newest lines`() {
        var history = History((0..<History.capacity).map(String.init))
        history.add("new")
        #expect(history.lines.count == History.capacity)
        #expect(history.lines.first == "1" && history.lines.last == "new")
    }
}

struct LineReaderTests {
    @Test func `enter hands out the line and begins a new one`() {
        var reader = LineReader()
        _ = reader.take(.text("help"))
        #expect(reader.take(.enter) == .submit("help"))
        #expect(reader.editor.isEmpty)
    }

    @Test(arguments: [
        (Key.tab, LineReader.Action.complete), (.control("c"), .interrupt), (.control("d"), .end),
        (.control("z"), .suspend),
        (.control("l"), .clearScreen), (.up, .bell), (.down, .bell), (.other, .redraw), (.control("o"), .bell),
    ])
    func `a key on an empty line does its part`(_ key: Key, _ action: LineReader.Action) {
        var reader = LineReader()
        #expect(reader.take(key) == action)
    }

    @Test func `Ctrl-D deletes where there is something to`() {
        var reader = LineReader()
        for key in [Key.text("ab"), .home] { _ = reader.take(key) }
        #expect(reader.take(.control("d")) == .redraw)
        #expect(reader.editor.text == "b")
    }

    @Test func `a search finds the newest line, older ones after it, and more letters go on from there`() {
        var reader = LineReader(history: History(["open orders", "loadOrders", "open counter", "help"]))
        _ = reader.take(.control("r"))
        #expect(reader.searchPrompt == #"(search "")> "#)
        _ = reader.take(.text("o"))
        #expect(reader.editor.text == "open counter")
        _ = reader.take(.control("r"))
        #expect(reader.editor.text == "loadOrders")
        _ = reader.take(.text("p"))
        #expect(reader.editor.text == "open orders")
        #expect(reader.take(.text("x")) == .bell)
        #expect(reader.searchPrompt == #"(search "op")> "#)
        #expect(reader.take(.enter) == .submit("open orders"))
        #expect(reader.searchPrompt == nil)
    }

    @Test func `a search ends with nothing by Ctrl-C, and with the line by any other key`() {
        var reader = LineReader(history: History(["open orders"]))
        for key in [Key.control("r"), .text("ord"), .control("c")] { _ = reader.take(key) }
        #expect(reader.editor.isEmpty && reader.searchPrompt == nil)
        for key in [Key.control("r"), .text("ord"), .home, .text("x")] { _ = reader.take(key) }
        #expect(reader.editor.text == "xopen orders")
    }
}
