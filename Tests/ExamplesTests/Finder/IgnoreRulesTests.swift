import Examples
import TestSupport
import Testing

@Suite(.inTurn) struct IgnoreRulesTests {
    /// As a walk does: what is in an ignored folder is ignored.
    private func ignores(_ rules: IgnoreRules, _ path: String) -> Bool {
        let isFolder = path.hasSuffix("/")
        let bytes = Array(path.utf8).dropLast(isFolder ? 1 : 0)
        for slash in bytes.indices where bytes[slash] == UInt8(ascii: "/") {
            if rules.ignores(bytes[..<slash], isFolder: true) { return true }
        }
        return rules.ignores(bytes[...], isFolder: isFolder)
    }

    // With its type: finding it in a macro's argument takes the compiler seven seconds.
    private static let files: [(String, String, Bool)] = [
        ("foo", "foo", true), ("foo", "a/foo", true), ("foo", "foo/a", true), ("foo", "foobar", false),
        ("/foo", "foo", true), ("/foo", "a/foo", false), ("foo/", "foo", false), ("foo/", "foo/", true),
        ("foo/", "a/foo/b", true), ("a/foo", "a/foo", true), ("a/foo", "b/a/foo", false), ("*.o", "a/b.o", true),
        ("*.o", ".o", true), ("*.o", "a.oo", false), ("a*c", "abbc", true), ("a*c", "a/c", false), ("a?c", "abc", true),
        ("a?c", "ac", false), ("a/*", "a/b", true), ("a/*/c", "a/b/c", true), ("a/*/c", "a/b/b/c", false),
        ("**/foo", "foo", true), ("**/foo", "a/b/foo", true), ("a/**", "a/b/c", true), ("a/**", "a/", false),
        ("a/**/c", "a/c", true), ("a/**/c", "a/b/b/c", true), ("a/**/c", "ab/c", false), ("a**c", "abbc", true),
        ("x/a**c", "x/a/c", false), ("x/a**", "x/ab/c", true), ("[ab]", "a", true), ("[ab]", "c", false),
        ("[!ab]", "c", true), ("[^ab]", "a", false), ("[a-c]x", "bx", true), ("[]]", "]", true), ("[a-]", "-", true),
        ("[[:digit:]]", "5", true), ("[[:digit:]]", "a", false), ("[[:nothing:]]", "a", false), ("[a", "[a", false),
        ("\\*", "*", true), ("\\*", "a", false), ("\\#a", "#a", true), ("#a", "#a", false), ("\\!a", "!a", true),
        ("a\\", "a\\", false), ("a  ", "a", true), ("a\\ ", "a ", true), ("a\\  ", "a ", true), ("a b", "a b", true),
        ("a\r", "a", true), ("a\r\nb\r\n", "b", true), ("\u{FEFF}a", "a", true), ("", "a", false), ("/", "a", false),
        ("*", "a", true), ("*\n!a", "a", false), ("*\n!*/\n!*.c", "x/a.c", false), ("*\n!*/\n!*.c", "x/a.o", true),
        ("a/\n!a/b", "a/b", true), ("a/*\n!a/b", "a/b", false), ("!a\na", "a", true), ("ä?", "ä\u{301}", false),
        ("?", "ä", false), ("??", "ä", true), ("*/foo", "a/foo", true), ("*/foo", "foo", false),
        ("foo/*", "foo/", false),
    ]

    @Test(arguments: files)
    func `a file says what is ignored`(file: String, path: String, expected: Bool) {
        #expect(ignores(IgnoreRules().adding(Array(file.utf8), in: []), path) == expected)
    }

    @Test func `the file of a deeper folder decides, then those above, then what isn't shared`() {
        let top = IgnoreRules(exclude: Array("*.a\n*.b\n*.c\n".utf8)).adding(Array("!*.b\n!*.c\n".utf8), in: [])
        let below = top.adding(Array("*.c\n/only\n".utf8), in: Array("x/y".utf8))
        #expect(["1.a", "1.b", "1.c"].map { ignores(top, $0) } == [true, false, false])
        #expect(["x/y/1.a", "x/y/1.b", "x/y/z/1.c"].map { ignores(below, $0) } == [true, false, true])
        #expect(["x/y/only", "x/y/z/only"].map { ignores(below, $0) } == [true, false])
    }

    @Test func `a pattern that is made to take long doesn't`() {
        let pattern = String(repeating: "*a", count: 400) + "b\n" + String(repeating: "**/", count: 400) + "b\n"
        let rules = IgnoreRules().adding(Array(pattern.utf8), in: [])
        let name = Array(String(repeating: "a", count: 255).utf8)
        #expect(!rules.ignores(name[...], isFolder: false))
    }
}

/// Against git itself.
@Suite(.inTurn, .enabled(if: OutsideTool.isInstalled("git"), "git isn't installed")) struct GitTests {
    private static let names = [
        "a", "b", "ab", "abc", "a.o", "b.c", "x y", "[a]", "a-b", ".h", "*", "#a", "!a", "é", "a ",
    ]
    private static let pieces =
        names + [
            "*", "*", "**", "?", "/", "/", "/", "**/", "/**", "[a-b]", "[!a]", "[[:alpha:]]", "[", "\\*", "\\", " ",
            "]",
            "*.o",
        ]

    private func pattern(_ generator: inout SeededGenerator) -> String {
        var pattern = generator.chance(25) ? "!" : generator.chance(5) ? "#" : ""
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            pattern += Self.pieces.randomElement(using: &generator) ?? ""
        }
        if generator.chance(20) { pattern += "/" }
        if generator.chance(10) { pattern += " " }
        return pattern + (generator.chance(10) ? "\r\n" : "\n")
    }

    private func file(_ generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: 1...6, using: &generator)).map { _ in pattern(&generator) }.joined()
    }

    private func fill(_ tree: TemporaryTree, _ folder: String, depth: Int, _ generator: inout SeededGenerator) throws {
        if generator.chance(depth == 0 ? 90 : 30) { try tree.write(folder + ".gitignore", file(&generator)) }
        for name in Self.names where generator.chance(60) {
            if depth < 3, generator.chance(30) {
                try fill(tree, folder + name + "/", depth: depth + 1, &generator)
            } else {
                try tree.write(folder + name)
            }
        }
    }

    private func found(_ path: String, below: String = "") async throws -> [String] {
        let found = Recorder<String>()
        try await FileScan(path).run { batch in
            for index in 0..<batch.count {
                found.record(below + String(decoding: batch.path(at: index), as: UTF8.self))
            }
        }
        return found.elements.sorted()
    }

    private func listed(_ path: String, _ folder: String = ".") async throws -> [String] {
        let output = try await OutsideTool.output(
            of: """
                cd '\(path)' && git -c core.excludesFile=/dev/null ls-files -z --others --cached --exclude-standard \
                -- '\(folder)'
                """)
        return output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    @Test(arguments: 0..<40) func `git lists the same files of a random tree`(seed: Int) async throws {
        var generator = SeededGenerator(seed: seed)
        let tree = try TemporaryTree()
        try fill(tree, "", depth: 0, &generator)
        _ = try await OutsideTool.output(of: "git init -q '\(tree.path)'")
        if generator.chance(50) { try tree.write(".git/info/exclude", file(&generator)) }
        let (found, listed) = (try await found(tree.path), try await listed(tree.path))
        let (left, kept) = (Set(found).subtracting(listed), Set(listed).subtracting(found))
        #expect(found == listed, "git leaves out \(left), and lists \(kept)")
    }

    @Test func `the rules above a folder are those of its work tree`() async throws {
        let tree = try TemporaryTree()
        try tree.write(".gitignore", "*.o\n/sub/a\n")
        try tree.write("sub/.gitignore", "!b.o\ndeep/c\n")
        for name in [
            "sub/a", "sub/b.o", "sub/deep/a", "sub/deep/b.o", "sub/deep/c", "sub/deep/d.o", "sub/deep/x/e",
            "sub/deep/x/f.x",
        ] {
            try tree.write(name)
        }
        _ = try await OutsideTool.output(of: "git init -q '\(tree.path)'")
        try tree.write(".git/info/exclude", "*.x\n")
        for folder in ["sub", "sub/deep", "sub/deep/x"] {
            #expect(try await found("\(tree.path)/\(folder)", below: folder + "/") == listed(tree.path, folder))
        }
    }

    @Test func `a second work tree has the rules of the first one's repository`() async throws {
        let tree = try TemporaryTree()
        _ = try await OutsideTool.output(
            of: """
                cd '\(tree.path)' && git init -q one && cd one && echo '*.x' > .git/info/exclude \
                && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git worktree add -q ../two 2>/dev/null
                """)
        try tree.write("two/a.x")
        try tree.write("two/b")
        #expect(try await found("\(tree.path)/two") == ["b"])
        #expect(try await listed("\(tree.path)/two") == ["b"])
    }
}
