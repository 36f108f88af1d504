import Examples
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct FinderViewModelTests {
    private let tree: TemporaryTree

    init() throws {
        tree = try TemporaryTree()
    }

    private func write(_ paths: String...) throws {
        for path in paths { try tree.write(path, "text of \(path)\n") }
    }

    @Test func `files are there without a query`() async throws {
        try write("b.swift", "a/c.swift", ".hidden")
        let finder = try await FinderScene(tree.path).finder()
        #expect(finder.paths.sorted() == ["a/c.swift", "b.swift"])
        #expect(finder.events.elements.contains(.scanning(files: 2, directories: 2, isDone: true)))
        #expect(finder.events.elements.last == .matches(count: 2, isComplete: true))
    }

    @Test func `the best of the files that match come first, with what matches`() async throws {
        try write("src/unrelated.c", "src/finder/view.swift", "find.txt")
        let finder = try await FinderScene(tree.path).finder()
        try await finder.query("fin")
        #expect(finder.paths == ["find.txt", "src/finder/view.swift"])
        #expect(finder.rows.map(\.ranges) == [[0..<3], [4..<7]])
        #expect(finder.rows.allSatisfy { $0.score != nil && $0.line == nil && $0.text == nil })
        #expect(finder.events.elements.contains(.query(text: "fin", mode: .files)))
        #expect(finder.events.elements.last == .matches(count: 2, isComplete: true))
    }

    @Test func `of many files the list has a thousand, and the count has all`() async throws {
        for index in 0..<1200 { try tree.write("file\(index)") }
        let finder = try await FinderScene(tree.path).finder()
        #expect(finder.rows.count == 1000)
        try await finder.query("file")
        #expect(finder.rows.count == 1000)
        #expect(finder.events.elements.contains(.matches(count: 1200, isComplete: true)))
        try await finder.query("file77$")
        #expect(finder.paths == ["file77"])
    }

    @Test func `what an expression wasn't looked for in is said, until the next query`() async throws {
        try tree.write("long", String(repeating: "ab", count: 40_000))
        var (random, line) = (UInt32(1), "c")
        for _ in 0..<60_000 {
            random = random &* 1_664_525 &+ 1_013_904_223
            line += random >> 31 == 0 ? "a" : "b"
        }
        try tree.write("slow", line)
        let finder = try await FinderScene(tree.path).finder()
        try await finder.model.handle(event: .mode(.regex))
        // The C library makes up to 2^60 states of this, one for nearly each byte.
        try await finder.query("(a|b)*a(a|b){60}c")
        #expect(
            finder.events.elements.contains(
                .note(
                    message: "1 line was too long for this expression and is left out. "
                        + "1 line has more than 64 KiB: what matches across two parts of that length isn't found.")))
        try await finder.query("ba$")
        #expect(
            finder.events.elements.contains(
                .note(message: "1 line has more than 64 KiB: what matches across two parts of that length isn't found.")
            ))
        try await finder.model.handle(event: .mode(.files))
        #expect(await finder.model.snapshot().contains(.note(message: nil)))
    }

    @Test func `lines are found with their numbers, without regard to case unless there is a capital`() async throws {
        try tree.write("a", "one\nTwo three\n")
        try tree.write("b/c", "two\n")
        let finder = try await FinderScene(tree.path).finder()
        try await finder.model.handle(event: .mode(.text))
        #expect(finder.rows.isEmpty)
        try await finder.query("two")
        #expect(Set(finder.rows.map(\.id)) == ["a:2", "b/c:1"])
        #expect(Set(finder.rows.compactMap(\.text)) == ["Two three", "two"])
        #expect(finder.rows.allSatisfy { $0.ranges == [0..<3] && $0.score == nil })
        try await finder.query("Two")
        #expect(finder.rows.map(\.id) == ["a:2"])
        try await finder.query("nowhere")
        #expect(finder.rows.isEmpty && finder.isComplete)
    }

    @Test func `an expression that isn't well-formed is a failure until it is`() async throws {
        try tree.write("a", "foo(1)\n")
        let finder = try await FinderScene(tree.path).finder()
        try await finder.query("fo+\\(")
        try await finder.model.handle(event: .mode(.regex))
        #expect(finder.rows.map(\.id) == ["a:1"])
        try await finder.query("fo(")
        #expect(finder.rows.isEmpty)
        #expect(finder.failure?.isEmpty == false)
        try await finder.query("F\\S")
        #expect(finder.failure == nil && finder.rows.isEmpty)
        try await finder.query("f\\S")
        #expect(finder.rows.map(\.id) == ["a:1"])
    }

    @Test func `a search that is cancelled tells nothing more`() async throws {
        for index in 0..<50 { try tree.write("file\(index)", String(repeating: "needle\n", count: 100)) }
        let finder = try await FinderScene(tree.path).finder()
        try await finder.model.handle(event: .mode(.text))
        let first = Task { try await finder.query("needle") }
        await until { finder.events.elements.contains(.query(text: "needle", mode: .text)) }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        try await finder.query("file7")
        #expect(finder.rows.isEmpty)
        #expect(finder.events.elements.last == .matches(count: 0, isComplete: true))
    }

    @Test func `a search that is cancelled goes on for other views, from its beginning`() async throws {
        for index in 0..<50 { try tree.write("file\(index)", String(repeating: "needle\n", count: 100)) }
        let scene = FinderScene(tree.path)
        let finder = try await scene.finder()
        try await finder.model.handle(event: .mode(.text))
        let first = Task { try await finder.query("needle") }
        await until { finder.events.elements.contains(.query(text: "needle", mode: .text)) }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        // One sleeps until the folder is looked at.
        await scene.clock.sleepers(2)
        scene.clock.advance(by: .milliseconds(100))
        await until { finder.events.elements.last == .matches(count: 5000, isComplete: true) }
        #expect(Set(finder.rows.map(\.id)).count == 5000)
    }

    @Test func `a text that is too long is refused`() async throws {
        try write("a")
        let finder = try await FinderScene(tree.path).finder()
        await #expect(throws: FinderFailure.tooLong(maximum: 1000)) {
            try await finder.query(String(repeating: "a ", count: 600))
        }
        #expect(finder.paths == ["a"])
    }

    @Test func `another mode takes the place of a search, which ends without an error`() async throws {
        for index in 0..<50 { try tree.write("file\(index)", String(repeating: "needle\n", count: 100)) }
        let finder = try await FinderScene(tree.path).finder()
        try await finder.model.handle(event: .mode(.text))
        async let first: Void = finder.query("needle")
        await until { finder.events.elements.contains(.query(text: "needle", mode: .text)) }
        try await finder.model.handle(event: .mode(.files))
        try await first
        // The search that was cut off may have told nothing, so that there may be nothing to tell either.
        await until { finder.isComplete }
        #expect(await finder.model.snapshot().contains(.matches(count: 0, isComplete: true)))
        #expect(finder.rows.isEmpty)
    }

    @Test func `too many lines end the search`() async throws {
        for index in 0..<120 { try tree.write("file\(index)", String(repeating: "x\n", count: 100)) }
        let finder = try await FinderScene(tree.path).finder()
        try await finder.model.handle(event: .mode(.text))
        try await finder.query("x")
        #expect(finder.rows.count == 10_000)
        #expect(finder.events.elements.last == .matches(count: 10_000, isComplete: false))
        try await finder.query("file")
        #expect(finder.rows.isEmpty && finder.isComplete)
    }

    @Test func `a decision is told with the path, the URI and the line`() async throws {
        try write("a b.txt")
        let finder = try await FinderScene(tree.path).finder()
        try await finder.model.handle(event: .accept(index: 0, id: nil))
        let root = try ServedFolder(tree.path).resolve(nil)
        #expect(
            finder.events.elements.last
                == .accepted(path: "\(root)/a b.txt", uri: "file://\(root)/a%20b.txt", line: nil))
        try await finder.model.handle(event: .mode(.text))
        try await finder.query("text")
        try await finder.model.handle(event: .accept(index: 0, id: "a b.txt:1"))
        #expect(
            finder.events.elements.last == .accepted(path: "\(root)/a b.txt", uri: "file://\(root)/a%20b.txt", line: 1))
    }

    @Test func `the result that the user saw is chosen, wherever it is by now`() async throws {
        try write("aa", "ab", "b")
        let finder = try await FinderScene(tree.path).finder()
        try await finder.query("b")
        #expect(finder.paths == ["b", "ab"])
        try await finder.model.handle(event: .accept(index: 0, id: "ab"))
        guard case .accepted(let path, _, _) = finder.events.elements.last else {
            Issue.record("nothing was accepted")
            return
        }
        #expect(path.hasSuffix("/ab"))
        await #expect(throws: FinderFailure.gone(path: "aa")) {
            try await finder.model.handle(event: .accept(index: 0, id: "aa"))
        }
    }

    @Test(arguments: [-1, 1, Int.min, Int.max])
    func `a result that isn't there is an error that says what is`(index: Int) async throws {
        try write("a")
        let finder = try await FinderScene(tree.path).finder()
        await #expect(throws: FinderFailure.noResult(index: index, count: 1)) {
            try await finder.model.handle(event: .accept(index: index, id: nil))
        }
    }

    @Test func `a file that is gone can't be chosen`() async throws {
        try write("a")
        let finder = try await FinderScene(tree.path).finder()
        try tree.remove("a")
        await #expect(throws: FinderFailure.gone(path: "a")) {
            try await finder.model.handle(event: .accept(index: 0, id: nil))
        }
    }

    @Test func `a path that isn't UTF-8 is shown, and chosen by its bytes`() async throws {
        try tree.write([0x61, 0xFF])
        try tree.write([0x61, 0xFE])
        let finder = try await FinderScene(tree.path).finder()
        #expect(finder.paths == ["a\u{FFFD}", "a\u{FFFD}"])
        #expect(Set(finder.rows.map(\.id)).count == 2)
        try await finder.model.handle(event: .accept(index: 0, id: nil))
        guard case .accepted(_, let uri, _) = finder.events.elements.last else {
            Issue.record("nothing was accepted")
            return
        }
        #expect(uri.hasSuffix("/a%FE"))
    }

    @Test func `files that come and go are followed`() async throws {
        try write("a", "folder/b")
        let scene = FinderScene(tree.path)
        let finder = try await scene.finder()
        try write("folder/c")
        await scene.pass()
        await until { finder.paths.contains("folder/c") }
        // A folder that came is watched, too.
        try write("new/d")
        await scene.pass()
        await until { finder.paths.contains("new/d") }
        try write("new/e")
        try tree.remove("a")
        await scene.pass()
        await until { finder.paths.sorted() == ["folder/b", "folder/c", "new/d", "new/e"] }
    }

    @Test func `a refresh looks again`() async throws {
        try write("a")
        let scene = FinderScene(tree.path)
        let finder = try await scene.finder()
        let count = finder.events.elements.count
        await scene.clock.sleepers(1)
        try await finder.model.handle(event: .refresh)
        await scene.pass()
        await until { finder.events.elements.count > count }
        #expect(finder.events.elements.last == .scanning(files: 1, directories: 1, isDone: true))
    }

    @Test func `a root that vanishes is a failure, and comes back`() async throws {
        try write("root/a")
        let scene = FinderScene(tree.path)
        let finder = try await scene.finder(.init(root: "root"))
        try tree.remove("root")
        await scene.pass()
        await until { finder.failure != nil && finder.rows.isEmpty }
        #expect(finder.failure?.contains("root can't be read") == true)
        try write("root/b")
        await scene.clock.sleepers(1)
        try await finder.query("")
        await scene.pass()
        await until { finder.failure == nil && finder.paths == ["b"] }
    }

    @Test(arguments: [("nowhere", "can't be read"), ("..", "is outside of"), ("/", "is outside of")])
    func `a folder that can't be searched is refused`(root: String, reason: String) async throws {
        try write("a")
        do {
            _ = try await FinderScene(tree.path).finder(.init(root: root))
            Issue.record("it was taken")
        } catch let error as InvalidArgument {
            #expect(error.path == ["root"] && error.reason.contains(reason))
        }
    }

    @Test func `a link leads nowhere outside`() async throws {
        try tree.link("out", to: "/")
        #expect(throws: InvalidArgument.self) { try ServedFolder(tree.path).resolve("out") }
    }

    @Test func `a folder that became a link isn't followed`() async throws {
        try write("outside/f", "served/d/f")
        let scene = FinderScene("\(tree.path)/served")
        let finder = try await scene.finder()
        try await finder.model.handle(event: .mode(.text))
        try await finder.query("text")
        #expect(finder.rows.map(\.id) == ["d/f:1"])
        try tree.remove("served/d")
        try tree.link("served/d", to: "../outside")
        try await finder.model.handle(event: .preview(index: 0, id: nil))
        let preview = try Recorded<FinderPreviewViewModel>(scene.container.resolve())
        await preview.model.start()
        #expect(preview.events.elements.last == .note(message: "The file can't be read."))
        try await finder.query("")
        try await finder.query("text")
        #expect(finder.rows.isEmpty)
    }

    @Test func `a preview that ended in any way is pushed again`() async throws {
        try write("a")
        let scene = FinderScene(tree.path)
        let finder = try await scene.finder()
        for count in 1...3 {
            try await finder.model.handle(event: .preview(index: 0, id: nil))
            #expect(scene.navigator.steps.elements.count == count)
            let preview = try Recorded<FinderPreviewViewModel>(scene.container.resolve())
            await preview.model.start()
            try await finder.model.handle(event: .preview(index: 0, id: nil))
            #expect(scene.navigator.steps.elements.count == count)
            await preview.model.stop()
        }
    }

    @Test func `a preview is pushed once, and follows what is chosen`() async throws {
        try tree.write("a", "one\ntwo\n")
        try tree.write("b", "three\n")
        let scene = FinderScene(tree.path)
        let finder = try await scene.finder()
        try await finder.model.handle(event: .preview(index: 0, id: "a"))
        #expect(scene.navigator.steps.elements == ["push FinderPreviewViewModel with nothing"])
        let preview = try Recorded<FinderPreviewViewModel>(scene.container.resolve())
        await preview.model.start()
        #expect(preview.events.elements.first == .file(path: "a", line: nil))
        await until { preview.model.lines.count == 2 }
        #expect(try await preview.model.lines.rows(in: 0..<9).map(\.text) == ["one", "two"])
        try await finder.model.handle(event: .preview(index: 0, id: "b"))
        await until { preview.model.lines.count == 1 }
        #expect(try await preview.model.lines.rows(in: 0..<9).map(\.text) == ["three"])
        #expect(scene.navigator.steps.elements.count == 1)
        await preview.model.handle(event: .close)
        #expect(scene.navigator.steps.elements.last == "pop")
        try await finder.model.handle(event: .preview(index: 0, id: "a"))
        #expect(scene.navigator.steps.elements.count == 3)
    }
}
