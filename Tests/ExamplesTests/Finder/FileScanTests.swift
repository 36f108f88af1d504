import Examples
import TestSupport
import Testing

@Suite(.inTurn) struct FileScanTests {
    private func paths(_ scan: FileScan, tasks: Int = 2) async throws -> (paths: [String], summary: FileScan.Summary) {
        let found = Recorder<String>()
        let summary = try await scan.run(tasks: tasks) { batch in
            for index in 0..<batch.count {
                found.record(String(decoding: batch.path(at: index), as: UTF8.self))
            }
        }
        return (found.elements.sorted(), summary)
    }

    @Test(arguments: [1, 2, 5]) func `every file is found once, however many walk`(tasks: Int) async throws {
        let tree = try TemporaryTree()
        var expected: [String] = []
        for folder in 0..<300 {
            let path = (0..<folder % 5).map { "d\(folder % ($0 + 7))/" }.joined()
            for file in 0..<folder % 7 { expected.append("\(path)f\(folder)-\(file)") }
        }
        for path in expected { try tree.write(path) }
        let found = try await paths(FileScan(tree.path), tasks: tasks)
        #expect(found.paths == expected.sorted())
        #expect(found.summary.files == expected.count && found.summary.unreadableFolders == 0)
    }

    @Test func `hidden files can be left out, and git's always are`() async throws {
        let tree = try TemporaryTree()
        for path in [".git/config", ".hidden", ".folder/a", "b", "c/.d", "c/.git"] { try tree.write(path) }
        #expect(try await paths(FileScan(tree.path)).paths == [".folder/a", ".hidden", "b", "c/.d"])
        #expect(try await paths(FileScan(tree.path, findsHidden: false)).paths == ["b"])
    }

    @Test func `ignored files are found where they are asked for`() async throws {
        let tree = try TemporaryTree()
        try tree.write(".gitignore", "*.o\nout/\n")
        for path in ["a.c", "a.o", "out/b", "x/c.o", "x/d"] { try tree.write(path) }
        #expect(try await paths(FileScan(tree.path)).paths == [".gitignore", "a.c", "x/d"])
        let all = try await paths(FileScan(tree.path, findsIgnored: true)).paths
        #expect(all == [".gitignore", "a.c", "a.o", "out/b", "x/c.o", "x/d"])
    }

    @Test func `links are found and not followed`() async throws {
        let tree = try TemporaryTree()
        try tree.write("a/b")
        try tree.link("a/loop", to: "..")
        try tree.link("gone", to: "nowhere")
        #expect(try await paths(FileScan(tree.path)).paths == ["a/b", "a/loop", "gone"])
    }

    @Test func `names that aren't UTF-8 are found as they are`() async throws {
        let tree = try TemporaryTree()
        try tree.write([0x66, 0xFF, 0x2F, 0xC3] as [UInt8])
        let found = Recorder<[UInt8]>()
        try await FileScan(tree.path).run { batch in
            for index in 0..<batch.count { found.record(batch.path(at: index)) }
        }
        #expect(found.elements == [[0x66, 0xFF, 0x2F, 0xC3]])
    }

    @Test func `a deep tree is walked as far as the kernel knows its paths`() async throws {
        let tree = try TemporaryTree()
        let name = String(repeating: "n", count: 200)
        try tree.nest(name, depth: 40)
        let found = try await paths(FileScan(tree.path))
        #expect(found.paths.count > 15 && found.paths.count < 40)
        #expect(found.summary.unreadableFolders == 1)
    }

    @Test func `a tree with folders to come back to at each of many levels is walked whole`() async throws {
        let tree = try TemporaryTree()
        var (expected, path) = ([String](), "")
        for level in 0..<200 {
            for side in ["a", "b"] { expected.append("\(path)\(side)/x\(level)") }
            path += "d/"
        }
        for path in expected { try tree.write(path) }
        let found = try await paths(FileScan(tree.path))
        #expect(found.paths == expected.sorted())
        #expect(found.summary.unreadableFolders == 0)
    }

    @Test(arguments: ["a", "a/b"])
    func `a link that comes in the place of a folder before that is read isn't followed`(folder: String) async throws {
        let tree = try TemporaryTree()
        for path in ["other/c", "a/x", "a/b/y"] { try tree.write(path) }
        let found = Recorder<String>()
        let summary = try await FileScan(tree.path).run(tasks: 1) { entered in
            guard entered.elementsEqual(folder.utf8) else { return }
            #expect(throws: Never.self) {
                try tree.remove(folder)
                try tree.link(folder, to: tree.path + "/other")
            }
        } deliver: { batch in
            for index in 0..<batch.count { found.record(String(decoding: batch.path(at: index), as: UTF8.self)) }
        }
        #expect(summary.unreadableFolders == 1)
        #expect(!found.elements.contains { $0.hasSuffix("/c") && !$0.hasPrefix("other") })
    }

    @Test func `a root that isn't there is an error that names it`() async throws {
        let tree = try TemporaryTree()
        try tree.write("file")
        for name in ["gone", "file"] {
            let error = await #expect(throws: FileScan.UnreadableRoot.self) {
                try await FileScan("\(tree.path)/\(name)").run { _ in }
            }
            #expect(error?.description.contains("\(tree.path)/\(name) can't be read: ") == true)
        }
    }

    @Test func `a root that vanishes ends the scan`() async throws {
        let tree = try TemporaryTree()
        for folder in 0..<300 { for file in 0..<4 { try tree.write("d\(folder)/f\(file)") } }
        let path = tree.path
        let summary = try await FileScan(path).run { _ in
            _ = try? await OutsideTool.output(of: "rm -rf '\(path)'")
        }
        #expect(summary.files < 1200)
    }

    @Test func `a scan that is cancelled ends with what it was doing`() async throws {
        let tree = try TemporaryTree()
        for folder in 0..<300 { for file in 0..<4 { try tree.write("d\(folder)/f\(file)") } }
        let path = tree.path
        let delivered = Recorder<Int>()
        let gate = Gate()
        let task = Task {
            try await FileScan(path).run(tasks: 1) { batch in
                delivered.record(batch.count)
                await gate.wait()
            }
        }
        _ = await delivered.elements(count: 1)
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(delivered.elements.reduce(0, +) < 1200)
    }

    @Test func `a folder with many files comes in several batches`() async throws {
        let tree = try TemporaryTree()
        _ = try await OutsideTool.output(of: "cd '\(tree.path)' && mkdir d && cd d && seq 9000 | xargs touch")
        let batches = Recorder<Int>()
        let summary = try await FileScan(tree.path).run { batches.record($0.count) }
        #expect(summary.files == 9000 && batches.elements.reduce(0, +) == 9000)
        #expect(batches.elements.allSatisfy { $0 <= 4096 } && batches.elements.count >= 3)
    }
}
