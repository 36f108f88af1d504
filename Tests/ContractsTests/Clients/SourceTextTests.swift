import Contracts
import Testing

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

struct SourceNamesTests {
    @Test(arguments: [
        ("selectOrder", "SelectOrder"), ("Order", "Order"), ("order list", "OrderList"), ("List.Item", "ListItem"),
        ("log_in", "Log_in"), ("_x", "X"), ("__init__", "Init__"), ("1st", "N1st"), ("none", "None"),
        ("größe", "Größe"),
        ("ßa", "SSa"), ("日本", "日本"), ("", "Value"), ("🎉", "Value"), ("\u{2028}*/\"\\", "Value"), ("a\nb", "AB"),
        // Python takes these for others.
        ("ﬁx", "X"), ("１", "Value"),
    ])
    func `a type's name is an identifier that starts with a capital`(_ name: String, _ type: String) {
        var names = SourceNames()
        #expect(names.type(name) == type)
    }

    @Test(arguments: [
        ("isDone", "isDone"), ("is_done", "is_done"), ("from json", "from_json"), ("a-b", "a_b"), ("_0", "n0"),
        ("__x", "x"), ("1st", "n1st"), ("", "value"), ("Größe", "Größe"), ("a\"b", "a_b"),
    ])
    func `a member's name stays as it is where that can be`(_ name: String, _ member: String) {
        var names = SourceNames()
        #expect(names.member(name) == member)
    }

    @Test func `no name is there twice, or means something else`() {
        var names = SourceNames(reserved: ["from", "None"])
        #expect(
            ["from", "a b", "a-b", "a_b", "from"].map { names.member($0) } == [
                "from_", "a_b", "a_b_", "a_b_2", "from_2",
            ])
        #expect(["none", "None", "none_"].map { names.type($0) } == ["None_", "None_2", "None__"])
        // The same to people, and to Python.
        #expect(["ö", "o\u{308}"].map { names.member($0) } == ["ö", "ö_"])
    }
}
