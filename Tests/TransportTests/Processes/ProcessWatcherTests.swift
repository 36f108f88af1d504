import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct ProcessWatcherTests {
        @Test(arguments: PollerKind.allCases)
        func `the end of a process is reported`(poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                let (reading, writing) = try makePipe()
                let pid = try spawnCat(input: reading)
                close(reading)
                try await loop.wait(for: "the end of cat") { keep in
                    let watcher = ProcessWatcher(pid: pid, on: loop) { keep(()) }
                    #expect(watcher != nil)
                    close(writing)
                }
                waitpid(pid, nil, 0)
                let isVisible = try await loop.run { ProcessWatcher(pid: pid, on: loop) {} != nil }
                #expect(!isVisible)
                let isNonsense = try await loop.run { ProcessWatcher(pid: -1, on: loop) {} != nil }
                #expect(!isNonsense)
            }
        }

        @Test func `a closed watcher reports nothing`() async throws {
            try await withLoop(.default) { loop in
                try await loop.run {
                    let watcher = try #require(ProcessWatcher(pid: getpid(), on: loop) { Issue.record("reported") })
                    watcher.close()
                    watcher.close()
                }
            }
        }
    }
}

private func spawnCat(input: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    var pid: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("cat"), nil]
    defer { free(arguments[0]) }
    try #require(posix_spawn(&pid, "/bin/cat", &actions, nil, &arguments, environ) == 0)
    return pid
}
