import Commands
import TestSupport
import Testing

@Suite(.inTurn) struct BuildOutputTests {
    @Test func `progress is left out, and lines may come in pieces`() {
        var output = BuildOutput()
        #expect(output.take("Building for debugging...\n[1/3] Wri".utf8) == [])
        #expect(output.take("te sources\na.swift:1:2: er".utf8) == [])
        #expect(output.take("ror: no\n 1 | let\n[x]\n".utf8) == ["a.swift:1:2: error: no", " 1 | let", "[x]"])
        #expect(output.take("the end".utf8) == [])
        #expect(output.end() == ["the end"])
        #expect(output.end() == [])
        #expect(output.lines == ["a.swift:1:2: error: no", " 1 | let", "[x]", "the end"])
    }

    @Test func `the first lines are kept, and all are reported`() {
        var output = BuildOutput()
        let lines = (1...1_000).map { "line \($0)" }
        #expect(output.take((lines.joined(separator: "\n") + "\n").utf8) == lines)
        #expect(output.lines == Array(lines.prefix(BuildOutput.maximumLines)))
    }
}
