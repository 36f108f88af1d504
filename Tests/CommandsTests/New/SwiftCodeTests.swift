import Testing

@testable import Commands

@Suite struct SwiftCodeTests {
    /// Text, without comments, without strings either; `~` stands for a space that something was replaced by.
    @Test(arguments: [
        ("a b", "a b", "a b"),
        ("a // b\nc", "a ~~~~\nc", "a ~~~~\nc"),
        ("a // b\r\nc", "a ~~~~\r\nc", "a ~~~~\r\nc"),
        ("a /* b */ c", "a ~~~~~~~ c", "a ~~~~~~~ c"),
        ("/* /* */ b */c", "~~~~~~~~~~~~~c", "~~~~~~~~~~~~~c"),
        ("/* b\n*/c", "~~~~\n~~c", "~~~~\n~~c"),
        ("a /* b", "a ~~~~", "a ~~~~"), ("a /*", "a ~~", "a ~~"), ("a /", "a /", "a /"),
        (#"f("b", c)"#, #"f("b", c)"#, "f(~~~, c)"),
        (#""//" b"#, #""//" b"#, "~~~~ b"),
        (#""\"" b"#, #""\"" b"#, "~~~~ b"),
        (#""\(f(")"))" b"#, #""\(f(")"))" b"#, "~~~~~~~~~~~ b"),
        (##"#"a"b"# c"##, ##"#"a"b"# c"##, "~~~~~~~ c"),
        (##"#"\(a)"# c"##, ##"#"\(a)"# c"##, "~~~~~~~~ c"),
        ("\"\"\"\n{ \" }\n\"\"\" b", "\"\"\"\n{ \" }\n\"\"\" b", "~~~\n~~~~~\n~~~ b"),
        ("\"a\nb", "\"a\nb", "~~\nb"), ("\"a\\", "\"a\\", "~~~"), ("\"a\\\nb", "\"a\\\nb", "~~~\nb"),
        ("\"é\" // ö\n#if a", "\"é\" ~~~~~\n#if a", "~~~~ ~~~~~\n#if a"),
        ("#", "#", "#"), ("", "", ""),
    ])
    func `comments and strings leave room of their size`(_ text: String, _ uncommented: String, _ bare: String) {
        let code = SwiftCode(text)
        #expect(code.uncommented == uncommented.replacing("~", with: " "))
        #expect(code.bare == bare.replacing("~", with: " "))
        #expect(code.bare.utf8.count == text.utf8.count)
    }

    @Test func `strings in strings in strings have an end`() {
        let text = String(repeating: #""\("#, count: 10_000)
        let code = SwiftCode(text)
        #expect(code.bare.utf8.count == text.utf8.count)
    }

    @Test(arguments: [("()", 1), ("([{}])", 5), ("(]", 1), ("(", nil), ("(()", nil)] as [(String, Int?)])
    func `a bracket is closed`(_ text: String, _ offset: Int?) {
        #expect(SwiftCode.closing(Array(text.utf8), from: 0) == offset)
    }
}
