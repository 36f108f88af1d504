import Examples
import TestSupport
import Testing

@Suite(.inTurn) struct TextSearchTests {
    /// What is found in a file, and in which lines.
    private func search(
        _ text: String, in contents: some Collection<UInt8>, isRegularExpression: Bool = false,
        ignoresCase: Bool = false
    ) async throws -> [MatchingLine] {
        let tree = try TemporaryTree()
        try tree.write(Array("file".utf8), contents)
        let query = try TextQuery(text, isRegularExpression: isRegularExpression, ignoresCase: ignoresCase)
        let lines = Recorder<[MatchingLine]>()
        let summary = try await TextSearch(query, below: tree.path).run([FileBatch(paths: ["file".utf8])]) { found in
            #expect(found.lines.count <= 200 && !found.lines.isEmpty)
            lines.record(found.lines)
        }
        #expect(summary.lines == lines.elements.joined().count)
        return Array(lines.elements.joined())
    }

    /// The lines' numbers, and what matched in them.
    private func found(
        _ text: String, in contents: String, isRegularExpression: Bool = false, ignoresCase: Bool = false
    ) async throws -> [String] {
        let lines = try await search(
            text, in: contents.utf8, isRegularExpression: isRegularExpression, ignoresCase: ignoresCase)
        return lines.map { line in
            let utf8 = Array(line.text.utf8)
            let matches = line.matches.map { String(decoding: utf8[$0], as: UTF8.self) }
            return "\(line.number):\(matches.joined(separator: ","))"
        }
    }

    private static let text = "one two\ntwo Two\r\n\nthree\nzwölf ÄPFEL äpfel\nx+y = {z}\nlast"

    @Test(arguments: [
        ("two", false, ["1:two", "2:two"]), ("two", true, ["1:two", "2:two,Two"]), ("o", false, ["1:o,o", "2:o,o"]),
        ("last", false, ["7:last"]), ("x+y = {z}", false, ["6:x+y = {z}"]), ("ö", false, ["5:ö"]),
        ("ÄPFEL", false, ["5:ÄPFEL"]), ("äpfel", true, ["5:ÄPFEL,äpfel"]), ("nothing", false, []),
        ("X+Y", true, ["6:x+y"]), ("\r", false, []),
    ])
    func `a text is found in lines`(text: String, ignoresCase: Bool, expected: [String]) async throws {
        #expect(try await found(text, in: Self.text, ignoresCase: ignoresCase) == expected)
    }

    @Test(arguments: [
        ("^t", false, ["2:t", "4:t"]), ("o$", false, ["1:o", "2:o"]), ("^$", false, ["3:"]),
        ("t(wo|hree)", false, ["1:two", "2:two", "4:three"]),
        ("[a-z]{5}", false, ["4:three"]), ("ä|Ä", false, ["5:Ä,ä"]), ("zw.lf", false, ["5:zwölf"]),
        ("^.{5}$", false, ["4:three"]),
        ("T[[:alpha:]]o", true, ["1:two", "2:two,Two"]), ("x\\+y", false, ["6:x+y"]),
        ("äPFEL", true, ["5:ÄPFEL,äpfel"]),
        ("two?", false, ["1:two", "2:two"]), ("las(t)+", false, ["7:last"]), ("thx+?ree", false, ["4:three"]),
        ("^q*", false, (1...7).map { "\($0):" }), ("two)|last", false, ["7:last"]),
    ])
    func `an expression is found in lines`(text: String, ignoresCase: Bool, expected: [String]) async throws {
        #expect(
            try await found(text, in: Self.text, isRegularExpression: true, ignoresCase: ignoresCase) == expected)
    }

    @Test(arguments: [
        ("", false), ("a\nb", false), (String(repeating: "a", count: 1001), false), ("(", true), ("[a", true),
        ("(a)\\1", true), ("a{1001}{1001}", true), ("(((a{50}){50}){50})", true),
        (String(repeating: "(", count: 20) + "a" + String(repeating: "+)", count: 20), true),
        ("a{99999999999999999999}", true), ("(((a*{9})*{9})*{9})*{9}", true), ("(((a?{9})?{9})?{9})?{9}", true),
    ])
    func `a query that can't be looked for is refused in words`(text: String, isRegularExpression: Bool) {
        let error = #expect(throws: TextQuery.Invalid.self) {
            try TextQuery(text, isRegularExpression: isRegularExpression)
        }
        #expect(error?.description.isEmpty == false)
    }

    @Test(arguments: ["a{2}{3}", "func f\\(\\) [{]", "[[:digit:]]{4}-[]]", "(a+)+b", "[^]{}]", "\\w+ *= *\\w+"])
    func `usual expressions are not refused`(text: String) {
        #expect(throws: Never.self) { try TextQuery(text, isRegularExpression: true) }
    }

    @Test func `a file with a NUL at its beginning is left out, and one with a NUL later isn't`() async throws {
        let tree = try TemporaryTree()
        try tree.write("binary", "ab\0ab")
        try tree.write("late", String(repeating: "x\n", count: 4096) + "ab\0ab\nab")
        try tree.link("link", to: "late")
        let batch = FileBatch(paths: ["binary", "late", "link", "gone"].map { Array($0.utf8) })
        for isRegularExpression in [false, true] {
            let query = try TextQuery("ab", isRegularExpression: isRegularExpression)
            let lines = Recorder<Int>()
            let summary = try await TextSearch(query, below: tree.path).run([batch]) { found in
                for line in found.lines { lines.record(line.number) }
            }
            #expect(summary == .init(files: 1, lines: 2, binaries: 1, unreadable: 2))
            #expect(lines.elements == [4097, 4098])
        }
    }

    @Test func `lines that aren't UTF-8 are shown`() async throws {
        let lines = try await search("ab", in: [0xFF, 0x61, 0x62, 0xFE, 0x61, 0x62, 0x0A, 0xE2, 0x82, 0x61, 0x62])
        #expect(lines.map(\.text) == ["\u{FFFD}ab\u{FFFD}ab", "\u{FFFD}ab"])
        #expect(lines.map(\.matches) == [[3..<5, 8..<10], [3..<5]])
    }

    @Test func `of a long line the part with the first match is shown`() async throws {
        let line = String(repeating: "ä", count: 1000) + "needle" + String(repeating: "ö", count: 1000)
        let found = try #require(try await search("needle", in: ("x\n" + line).utf8).first)
        #expect(found.number == 2 && found.isCutBefore && found.isCutAfter && found.text.utf8.count <= 400)
        #expect(found.text.hasPrefix("ää") && found.text.hasSuffix("ö"))
        let match = try #require(found.matches.first)
        #expect(String(decoding: Array(found.text.utf8)[match], as: UTF8.self) == "needle")
    }

    /// Blocks have 65,536 bytes.
    @Test(arguments: [65_530, 65_533, 65_536, 65_540, 131_070, 200_000])
    func `a text is found where blocks meet`(offset: Int) async throws {
        for filler in ["x", "y\n"] {
            let before = String(repeating: filler, count: offset / filler.utf8.count)
            let contents = before + "needle needle\n" + before + "needle"
            let lines = before.utf8.count { $0 == UInt8(ascii: "\n") }
            let found = try await search("needle", in: contents.utf8)
            #expect(found.map(\.number) == [lines + 1, 2 * lines + 2])
            // In a line of several blocks an expression may not be found where they meet.
            guard filler != "x" else { continue }
            let byExpression = try await search("ne+dle$", in: contents.utf8, isRegularExpression: true)
            #expect(byExpression.map(\.number) == [lines + 1, 2 * lines + 2])
        }
    }

    @Test func `a long line is told once, and lines after it are counted right`() async throws {
        let line = String(repeating: "needle ", count: 100_000)
        let found = try await search("needle", in: (line + "\nneedle\n" + line).utf8)
        #expect(found.map(\.number) == [1, 2, 3])
        #expect(found[0].matches.first == 0..<6 && found[0].isCutAfter && !found[0].isCutBefore)
    }

    /// In glibc's own way each of these takes minutes, and nothing ends it.
    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            ("(a|aa)+$", String(repeating: "a", count: 3_000_000) + "b", [Int](), 1),
            ("(a|aa)+$", String(repeating: "a", count: 60_000) + "b", [], 0),
            ("(a|aa)+$", String(repeating: "b", count: 60_000) + "a", [1], 0),
            (".+\\{$", String(repeating: "f(){ö;}", count: 8_000) + "g()", [], 0),
            (".+\\{$", String(repeating: "f(){ö;}", count: 8_000) + "g(){\nx{", [1, 2], 0),
            ("(x+x+)+y", String(repeating: "x", count: 60_000), [], 0),
            ("([^)]*)x)|\\)\\)$", String(repeating: "(", count: 60_000) + "\nx))", [2], 0),
        ])
    func `an expression is looked for in a long line in one pass`(
        text: String, contents: String, lines: [Int], divided: Int
    ) async throws {
        let tree = try TemporaryTree()
        try tree.write("file", contents)
        let found = Recorder<Int>()
        let query = try TextQuery(text, isRegularExpression: true)
        let summary = try await TextSearch(query, below: tree.path).run([FileBatch(paths: ["file".utf8])]) {
            for line in $0.lines { found.record(line.number) }
        }
        #expect(found.elements == lines)
        #expect(summary.leftOut == .init(dividedLines: divided))
    }

    @Test(arguments: [("foo", 5..<8), ("^a", nil), ("\\bb", nil), ("é+", 300..<304), ("(o|f)+$", 5..<8)])
    func `an expression matches a long line as it does a short one`(text: String, expected: Range<Int>?) throws {
        let expression = try RegularExpression(text, ignoresCase: false, searchTime: .seconds(3_600))
        let rest = text.hasPrefix("é") ? String(repeating: "x", count: 292) + "éé" : ""
        for padding in [0, 1_000] where padding == 0 || !text.hasSuffix("$") {
            var line = Array(("ab ab" + "foo" + rest + String(repeating: "z", count: padding)).utf8) + [0]
            let found = line.withUnsafeMutableBufferPointer {
                expression.search($0, beginsLine: false, endsLine: true, maximum: 1)
            }
            #expect(found == expected.map { .matches([$0]) } ?? .nothing)
        }
    }

    @Test func `a line that takes too long is left out, and one whose places do is shown`() throws {
        var line = Array((String(repeating: "a", count: 5_000) + "b").utf8) + [0]
        func found(_ expression: RegularExpression) -> RegularExpression.Found {
            line.withUnsafeMutableBufferPointer {
                expression.search($0, beginsLine: true, endsLine: true, maximum: 50)
            }
        }
        #expect(try found(RegularExpression("b$", ignoresCase: false)) == .matches([5_000..<5_001]))
        #expect(try found(RegularExpression("b$", ignoresCase: false, searchTime: .zero)) == .somewhere)
        #expect(try found(RegularExpression("b$", ignoresCase: false, testTime: .zero)) == .tooLong)
        line[0] = 0xFF
        #expect(try found(RegularExpression("b$", ignoresCase: false)) == .matches([5_000..<5_001]))
        #expect(try found(RegularExpression("b$", ignoresCase: false, searchTime: .zero)) == .tooLong)
        #expect(line[5_001] == 0 && line[1_024] == UInt8(ascii: "a"), "the line is as it was")
    }

    @Test func `many lines come in several parts`() async throws {
        let found = try await search("a", in: String(repeating: "a\n", count: 1001).utf8)
        #expect(found.map(\.number) == Array(1...1001))
    }

    @Test func `a search that is cancelled says so`() async throws {
        let tree = try TemporaryTree()
        try tree.write("file", String(repeating: "a\n", count: 1_000_000))
        let path = tree.path
        let query = try TextQuery("a")
        let (delivered, gate) = (Recorder<Int>(), Gate())
        let task = Task {
            try await TextSearch(query, below: path).run([FileBatch(paths: ["file".utf8])]) { found in
                delivered.record(found.lines.count)
                await gate.wait()
            }
        }
        _ = await delivered.elements(count: 1)
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(delivered.elements.reduce(0, +) < 1_000_000)
    }
}

/// Against a program that is everywhere.
@Suite(.inTurn, .enabled(if: OutsideTool.isInstalled("grep"), "grep isn't installed")) struct GrepTests {
    @Test(arguments: [
        "a", "ab", "a|b", "^a", "b$", "a.b", "(a|b)c", "a{2}", "[ab]{2,3}c", "c*d", "a+b?c", "^[^a]+$", "\\.", "[]a]",
        "ab|cd", "(ab)+", "a(b|cd)?a", "x(yz)*", "\\(", "[[:digit:]]a", "(ab|cd)x?", "((aa|bc)d)+", "(ab|cd|x)+a",
        "ab|(cd)*b", "(ab|)cd", "ab+c|c{1,2}d", "x(ab|c(dd|z))y?", "(ab|cd){2}", "(ab|cd){0,1}1", "aa|(b|cc)d|z",
    ])
    func `the lines are those of grep`(pattern: String) async throws {
        var generator = SeededGenerator(seed: 19)
        let letters = Array("aaabbbccdd.xyz(]1 ")
        let text = (0..<3000).map { _ in
            String(
                (0..<Int.random(in: 0...8, using: &generator)).compactMap { _ in
                    letters.randomElement(using: &generator)
                }) + "\n"
        }.joined()
        let tree = try TemporaryTree()
        try tree.write("file", text)
        for ignoresCase in [false, true] {
            let expected = try await OutsideTool.lines(
                of: "grep -nE\(ignoresCase ? "i" : "") -e '\(pattern)' '\(tree.path)/file'", failing: true)
            let query = try TextQuery(pattern, isRegularExpression: true, ignoresCase: ignoresCase)
            let lines = Recorder<[String]>()
            try await TextSearch(query, below: tree.path).run([FileBatch(paths: ["file".utf8])]) { found in
                lines.record(found.lines.map { "\($0.number):\($0.text)" })
            }
            #expect(lines.elements.flatMap { $0 } == expected)
        }
    }
}
