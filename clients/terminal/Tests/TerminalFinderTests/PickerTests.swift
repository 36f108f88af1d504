import TerminalClient
import TerminalFinder
import TestSupport
import Testing
import ViewModelClient

/// What a picker does with keys, and with what its finder says.
@Suite(.inTurn) struct PickerTests {
    private static let files = ["a.swift", "b.swift", "c.swift", "d.swift", "e.swift"].map { FoundRow.file($0) }

    @Test func `what was typed before the finder is there is searched for when it is`() {
        let layout = PickerLayout(columns: 40, rows: 6)
        var picker = Picker(text: "ab", mode: .text, facts: FinderFacts(), layout: layout)
        #expect(picker.type("c") == [])
        #expect(
            picker.didOpen(searching: FinderQuery()) == [
                .search(.mode(value: .text)), .search(.query(text: "abc")), .show(0..<4),
            ])
    }

    @Test func `each key searches at once, and the best row is selected again`() {
        var picker = Picker.showing(Self.files)
        #expect(picker.take(.down) == [])
        #expect(picker.index == 1)
        #expect(picker.type("x") == [.search(.query(text: "x"))])
        #expect(picker.index == 0)
        #expect(picker.type("y") == [.search(.query(text: "xy"))])
        #expect(picker.take(.backspace) == [.search(.query(text: "x"))])
        #expect(picker.take(.left) == [])
    }

    @Test(arguments: [
        ([Key.down], 1), ([.control("n"), .control("n")], 2), ([.down, .up], 0), ([.down, .control("p")], 0),
        ([.pageDown], 4), ([.pageDown, .pageUp], 0), ([.alt(">")], 4), ([.alt(">"), .alt("<")], 0),
    ])
    func `keys move the selection`(_ keys: [Key], _ index: Int) {
        var picker = Picker.showing(Self.files)
        for key in keys { _ = picker.take(key) }
        #expect(picker.index == index)
    }

    @Test func `there is no row beyond the ends`() {
        var picker = Picker.showing(Self.files)
        #expect(picker.take(.up) == [.bell])
        _ = picker.take(.alt(">"))
        #expect(picker.take(.down) == [.bell])
        var empty = Picker.showing([])
        for key in [Key.down, .up, .pageDown, .alt(">"), .enter] { #expect(empty.take(key) == [.bell]) }
    }

    @Test func `the list scrolls with the selection, and the rows on screen are asked for`() {
        var picker = Picker.showing(Self.files)
        for _ in 0..<3 { #expect(picker.take(.down) == []) }
        #expect(picker.first == 0)
        #expect(picker.take(.down) == [.show(1..<5)])
        for _ in 0..<3 { #expect(picker.take(.up) == []) }
        #expect(picker.take(.up) == [.show(0..<4)])
    }

    @Test func `a row that was gone to stays selected where others come and go, the best one where none was`() {
        var picker = Picker.showing(Self.files)
        _ = picker.take(RemoteRows([.file("new")] + Self.files), failure: nil)
        #expect(picker.selected?.id == "new")
        _ = picker.take(.down)
        #expect(picker.selected?.id == "a.swift")
        _ = picker.take(RemoteRows([.file("newer"), .file("new")] + Self.files), failure: nil)
        #expect(picker.selected?.id == "a.swift")
        #expect(picker.index == 2)
        _ = picker.take(RemoteRows(Array(Self.files.dropFirst())), failure: nil)
        #expect(picker.selected?.id == "d.swift", "the one in its place")
    }

    @Test func `a row that was gone to before it was here is the one that comes there`() {
        var picker = Picker.showing(Self.files)
        _ = picker.take(RemoteRows(Self.files, count: 10), failure: nil)
        _ = picker.take(.alt(">"))
        #expect(picker.index == 9)
        #expect(picker.selected == nil)
        let all = Self.files + (0..<5).map { FoundRow.file("\($0)") }
        _ = picker.take(RemoteRows(all), failure: nil)
        #expect(picker.selected?.id == "4")
        _ = picker.take(RemoteRows([.file("new")] + all), failure: nil)
        #expect(picker.index == 10)
    }

    @Test func `Enter opens the row that is selected, and what another view accepts isn't opened here`() {
        var picker = Picker.showing(Self.files)
        let accepted = FinderEvent.accepted(path: "/root/b.swift", uri: nil, line: 3)
        #expect(picker.take(accepted) == [])
        _ = picker.take(.down)
        #expect(picker.take(.enter) == [.accept(index: 1, id: "b.swift")])
        #expect(picker.take(.enter) == [])
        #expect(picker.take(accepted) == [.open(ChosenFile(path: "/root/b.swift", line: 3))])
    }

    @Test func `Enter waits for the rows of what was typed`() {
        var picker = Picker.showing(Self.files)
        _ = picker.type("x")
        _ = picker.type("y")
        #expect(picker.take(.enter) == [])
        #expect(picker.didSearch(nil) == [], "a newer query took the first one's place")
        #expect(picker.take(.query(text: "x", mode: .files)) == [])
        #expect(picker.take(RemoteRows([.file("x")]), failure: nil) == [])
        #expect(picker.take(.query(text: "xy", mode: .files)) == [])
        #expect(picker.take(.matches(count: 5, isComplete: false)) == [], "nothing is found yet")
        #expect(picker.take(RemoteRows([.file("x")]), failure: nil) == [], "the same list")
        #expect(picker.take(RemoteRows([.file("xy")]), failure: nil) == [.accept(index: 0, id: "xy")])
    }

    @Test func `Enter waits for the answer where nothing else tells, and a key takes it back`() {
        var picker = Picker.showing(Self.files)
        _ = picker.type("x")
        #expect(picker.take(.enter) == [])
        #expect(picker.take(.up) == [.bell])
        #expect(picker.didSearch(nil) == [])
        _ = picker.type("y")
        #expect(picker.take(.enter) == [])
        #expect(picker.didSearch(nil) == [.accept(index: 0, id: "a.swift")])
    }

    @Test func `a file that can't be opened leaves the picker as it was`() {
        var picker = Picker.showing(Self.files)
        _ = picker.take(.enter)
        #expect(picker.didAccept("it is gone") == [.bell])
        #expect(picker.problem == "it is gone")
        #expect(picker.take(.enter) == [.accept(index: 0, id: "a.swift")])
    }

    @Test(arguments: [
        (Key.escape, Picker.Action.leave), (.control("g"), .leave), (.control("c"), .leave), (.control("d"), .leave),
        (.control("z"), .suspend), (.control("l"), .clear), (.control("r"), .refresh), (.alt("x"), .bell),
    ])
    func `other keys`(_ key: Key, _ action: Picker.Action) {
        var picker = Picker.showing(Self.files)
        #expect(picker.take(key) == [action])
    }

    @Test func `Ctrl-D deletes where something is typed`() {
        var picker = Picker.showing([], text: "ab")
        _ = picker.take(.home)
        #expect(picker.take(.control("d")) == [.search(.query(text: "b"))])
        #expect(picker.take(.control("d")) == [.search(.query(text: ""))])
        #expect(picker.take(.control("d")) == [.leave])
    }

    @Test func `Tab goes through the modes`() {
        var picker = Picker.showing(Self.files, text: "x")
        for mode in [FindMode.text, .regex, .files] { #expect(picker.take(.tab) == [.search(.mode(value: mode))]) }
        #expect(picker.take(.shiftTab) == [.search(.mode(value: .regex))])
        #expect(picker.mode == .regex)
    }

    @Test func `what somebody else searches for is taken over, unless a query is on its way`() {
        var picker = Picker.showing(Self.files)
        _ = picker.take(.query(text: "other", mode: .text))
        #expect(picker.editor.text == "other")
        #expect(picker.mode == .text)
        _ = picker.type("s")
        _ = picker.take(.query(text: "old", mode: .text))
        #expect(picker.editor.text == "others")
    }

    @Test func `the selected row is previewed, one at a time`() {
        var picker = Picker.showing(Self.files, columns: 120, height: 12)
        #expect(picker.didPreview(nil) == [], "the first was asked for when it came")
        #expect(picker.take(.down) == [.preview(index: 1, id: "b.swift")])
        #expect(picker.take(.down) == [])
        #expect(picker.take(.down) == [])
        #expect(picker.didPreview(nil) == [.preview(index: 3, id: "d.swift")])
        #expect(picker.didPreview(nil) == [])
    }

    @Test func `of a preview the lines around the one that was found are asked for`() {
        var picker = Picker.showing([.line("a.swift", 100, "x")], mode: .text, columns: 120, height: 14)
        let file = PreviewedFile(path: "a.swift", line: 100)
        #expect(picker.take(file, lines: RemoteRows()) == [.showPreview(95..<107)])
        #expect(picker.take(file, lines: RemoteRows(count: 1_000)) == [])
        #expect(picker.take(file, lines: RemoteRows(count: 100)) == [.showPreview(88..<100)])
        #expect(picker.take(file, lines: RemoteRows(count: 3)) == [.showPreview(0..<12)])
        let far = PreviewedFile(path: "a.swift", line: .max)
        _ = picker.take(far, lines: RemoteRows(count: .max))
    }

    @Test func `a narrow screen has no preview`() {
        var picker = Picker.showing(Self.files, columns: 120, height: 6)
        _ = picker.take(PreviewedFile(path: "a.swift"), lines: RemoteRows())
        #expect(picker.resize(PickerLayout(columns: 99, rows: 6)) == [.closePreview])
        #expect(picker.preview == nil)
        _ = picker.didPreview(nil)
        #expect(picker.take(.down) == [])
        #expect(picker.resize(PickerLayout(columns: 100, rows: 6)) == [.preview(index: 1, id: "b.swift")])
    }

    @Test func `a finder that is gone is asked again for the same`() {
        var picker = Picker.showing(Self.files, text: "swift", mode: .regex)
        picker.didEnd()
        #expect(picker.rows.isEmpty)
        #expect(picker.editor.text == "swift")
        #expect(
            picker.didOpen(searching: FinderQuery()) == [
                .search(.mode(value: .regex)), .search(.query(text: "swift")), .show(0..<4),
            ])
    }

    @Test func `a new finder's first words change nothing of what was typed`() {
        var picker = Picker(
            text: "swift", mode: .files, facts: FinderFacts(), layout: PickerLayout(columns: 40, rows: 6))
        #expect(picker.take(.query(text: "", mode: .files)) == [])
        _ = picker.didOpen(searching: FinderQuery())
        _ = picker.take(.query(text: "", mode: .files))
        #expect(picker.editor.text == "swift")
    }

    @Test func `the rows of another picker's text aren't shown`() {
        var picker = Picker(
            text: "swift", mode: .files, facts: FinderFacts(), layout: PickerLayout(columns: 40, rows: 6))
        _ = picker.didOpen(searching: FinderQuery(text: "", mode: .files))
        _ = picker.take(RemoteRows([.file("a.md")] + Self.files), failure: nil)
        #expect(picker.rows.isEmpty)
        _ = picker.take(.query(text: "swift", mode: .files))
        #expect(picker.rows.isEmpty)
        _ = picker.take(RemoteRows(Self.files), failure: nil)
        #expect(picker.rows.count == 5)
    }

    @Test func `a row that has gone before it was previewed is no problem`() {
        var picker = Picker.showing(Self.files, columns: 120, height: 6)
        _ = picker.take(RemoteRows([.file("new")]), failure: nil)
        #expect(picker.didPreview("a.swift is gone") == [.preview(index: 0, id: "new")])
        #expect(picker.problem == nil)
        _ = picker.didPreview("new is gone")
        #expect(picker.problem == "new is gone")
    }

    @Test(.timeLimit(.minutes(1))) func `a server that says strange numbers does no harm`() {
        var picker = Picker.showing(Self.files, columns: 120)
        _ = picker.take(RemoteRows(count: .max), failure: nil)
        for key in [Key.alt(">"), .pageDown, .down, .pageUp] { _ = picker.take(key) }
        _ = picker.take(.matches(count: .min, isComplete: true))
        _ = picker.take(PreviewedFile(path: "a", line: .min), lines: RemoteRows(count: .max))
        #expect(PickerFrame(picker, style: .plain).lines.count == 6)
    }
}
