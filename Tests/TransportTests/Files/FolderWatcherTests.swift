import LibC
import Synchronization
import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite struct FolderWatcherTests {
        @Test(arguments: [FolderWatcher.Kind.kernel, .looking])
        func `files that are written, made, moved and removed are reported, also in folders that are made later`(
            kind: FolderWatcher.Kind
        ) async throws {
            try await watch(kind) { watched in
                try watched.folder.write("a.swift", "1")
                try await watched.change("a.swift")
                try watched.folder.write("a.swift", "12")
                try await watched.change("a.swift")

                try watched.folder.make("new/deep")
                try watched.folder.write("new/deep/b.swift", "1")
                try await watched.change("b.swift", "new", "deep")
                try watched.folder.write("new/deep/b.swift", "12")
                try await watched.change("b.swift")

                try watched.folder.move("new/deep/b.swift", "new/c.swift")
                try await watched.change("c.swift")
                try watched.folder.remove("new/c.swift")
                try await watched.change("c.swift")
            }
        }

        @Test(arguments: [FolderWatcher.Kind.kernel, .looking])
        func `a folder that is moved in is watched, and one that is moved out isn't`(
            kind: FolderWatcher.Kind
        ) async throws {
            let outside = try ScratchFolder()
            try outside.make("part")
            try outside.write("part/a.swift", "1")
            try await watch(kind) { watched in
                try watched.folder.take("part", from: outside)
                try await watched.change("part", "a.swift")
                try watched.folder.write("part/a.swift", "12")
                try await watched.change("a.swift")

                try watched.folder.give("part", to: outside)
                try await watched.change("part", "a.swift")
                try outside.write("part/a.swift", "123")
                try outside.write("part/b.swift", "1")
                #expect(try await watched.settle() == [])
            }
        }

        @Test(arguments: [FolderWatcher.Kind.kernel, .looking])
        func `files and folders that don't count are left out`(kind: FolderWatcher.Kind) async throws {
            try await watch(kind) { watched in
                try watched.folder.write(".a.swift.swp", "1")
                try watched.folder.make(".build/sub")
                try watched.folder.write(".build/sub/b.swift", "1")
                #expect(try await watched.settle() == [])
            }
        }

        @Test func `a link that is made is a change`() async throws {
            try await watch(.kernel) { watched in
                symlink("/dev/null", watched.folder.file("link.swift"))
                try await watched.change("link.swift")
            }
        }

        @Test func `after it is closed nothing is reported`() async throws {
            try await withLoop(.default) { loop in
                let folder = try ScratchFolder()
                let changes = Changes()
                try await loop.run {
                    let watcher = FolderWatcher([folder.watched], on: loop) { changes.record($0) }
                    #expect(watcher.kind == .kernel)
                    watcher.close()
                    watcher.close()
                }
                try folder.write("a.swift", "1")
                try await loop.turns(2)
                #expect(changes.take() == [])
            }
        }

        private func watch(_ kind: FolderWatcher.Kind, _ body: (Watched) async throws -> Void) async throws {
            let clock = ManualClock()
            try await withLoop(.default, clock: clock) { loop in
                let folder = try ScratchFolder()
                let watched = Watched(folder: folder, loop: loop, clock: clock)
                try await loop.run {
                    _ = FolderWatcher([folder.watched], kind: kind, on: loop) { [changes = watched.changes] path in
                        changes.record(path)
                    }
                }
                try await body(watched)
            }
        }
    }
}

/// A folder that is watched, and its changes since they were last taken.
private struct Watched: Sendable {
    let folder: ScratchFolder
    let loop: EventLoop
    let clock: ManualClock
    let changes = Changes()

    /// Waits for a change of one of these. A new folder may be reported in place of what is in it.
    func change(_ names: String...) async throws {
        let start = ContinuousClock.now
        while true {
            let seen = try await settle()
            if seen.contains(where: { path in names.contains { path.hasSuffix("/\($0)") } }) { return }
            guard ContinuousClock.now - start < deadline else {
                throw DeadlinePassed(description: "change of \(names)")
            }
        }
    }

    /// All changes that the kernel has by now, or that a look finds.
    func settle() async throws -> [String] {
        for _ in 0..<2 {
            try await loop.advance(clock, by: FolderWatcher.interval)
            try await loop.turns(2)
        }
        return changes.take()
    }
}

private final class Changes: Sendable {
    private let paths = Mutex<[String]>([])

    func record(_ path: String) { paths.withLock { $0.append(path) } }

    func take() -> [String] {
        paths.withLock { paths in
            defer { paths = [] }
            return paths
        }
    }
}

/// A folder of a test's own, removed with the object.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/vms-transport-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemError.last("mkdtemp") }
        path = String(cString: made)
    }

    deinit {
        // The last to use it: the shell removes all that is in it.
        if let pipe = popen("rm -rf '\(path)'", "r") { pclose(pipe) }
    }

    var watched: WatchedFolder { WatchedFolder(path) { !$0.split(separator: "/").contains { $0.hasPrefix(".") } } }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ name: String, _ text: String) throws {
        guard let file = fopen(file(name), "we") else { throw SystemError.last("fopen", name) }
        fputs(text, file)
        fclose(file)
    }

    func make(_ name: String) throws {
        var path = ""
        for part in name.split(separator: "/") {
            path += path.isEmpty ? String(part) : "/\(part)"
            guard mkdir(file(path), 0o700) == 0 || errno == EEXIST else { throw SystemError.last("mkdir", path) }
        }
    }

    func move(_ old: String, _ new: String) throws {
        guard rename(file(old), file(new)) == 0 else { throw SystemError.last("rename", old) }
    }

    func take(_ name: String, from other: ScratchFolder) throws {
        guard rename(other.file(name), file(name)) == 0 else { throw SystemError.last("rename", name) }
    }

    func give(_ name: String, to other: ScratchFolder) throws { try other.take(name, from: self) }

    func remove(_ name: String) throws {
        guard LibC.remove(file(name)) == 0 else { throw SystemError.last("remove", name) }
    }
}
