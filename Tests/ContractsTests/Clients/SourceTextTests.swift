import Testing

@testable import Contracts

struct SourceTextTests {
    @Test(arguments: [
        ("plain", #""plain""#), (#"a "b" \ c"#, #""a \"b\" \\ c""#), ("\n\t\0\u{7F}", #""\n\t\u0000\u007f""#),
        ("\u{2028}\u{202E}\u{FEFF}", #""\u2028\u202e\ufeff""#), ("日本 🎉", #""日本 🎉""#),
    ])
    func `a literal shows what nobody sees`(_ text: String, _ literal: String) {
        #expect(SourceLiteral.quoted(text) == literal)
    }

    @Test(arguments: [
        ("One line.", ["One line."]), ("Two\nlines.", ["Two", "lines."]), ("A\n\nB", ["A", "", "B"]),
        ("one two three four five", ["one two three", "four five"]),
        ("averyverylongword is", ["averyverylongword", "is"]),
        ("    code that is much too long", ["    code that is much too long"]),
        ("a\r\nb\u{7}c\u{2028}d\u{202E}e", ["a ", "b c d e"]), (String(repeating: " ", count: 3), ["   "]),
        ("", [""]),
    ])
    func `a comment is broken at blanks`(_ description: String, _ lines: [String]) {
        #expect(SourceText.comment(description, width: 13) == lines)
    }

    @Test func `a comment can't end before its end`() {
        var typescript = SourceText(indentation: "  ")
        typescript.typeScriptComment("Ends */ here, or */*/ there.")
        #expect(typescript.text == "/** Ends *\\/ here, or *\\/*\\/ there. */\n")
        var python = SourceText(indentation: "    ")
        python.pythonComment(#"Ends """ here, or \""" there, or "here""#)
        #expect(
            python.text == #"""
                """Ends "\"\" here, or \\"\"\" there, or "here"
                """
                """# + "\n")
    }

    @Test func `nothing is said where there is no description`() {
        var source = SourceText(indentation: "  ")
        source.typeScriptComment(nil)
        source.pythonComment("")
        #expect(source.text.isEmpty)
    }

    @Test func `lines are indented, and blocks begin without a gap`() {
        var source = SourceText(indentation: "  ")
        source.gap()
        source.line("a:")
        source.indented { source in
            source.gap()
            source.line("b")
            source.gap()
            source.lines(["c", ""])
        }
        #expect(source.text == "a:\n  b\n\n  c\n\n")
    }
}
