import LibC
import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite struct ChildProcessTests {
        @Test(arguments: PollerKind.allCases)
        func `a program reads what it is sent and ends by itself at the end of its input`(
            poller: PollerKind
        ) async throws {
            try await withLoop(poller) { loop in
                let child = try await Child.start(["cat"], on: loop)
                let text = String(repeating: "0123456789", count: 100_000)
                try await loop.run {
                    child.talk.value.send(text)
                    child.talk.value.stream.finishWriting()
                }
                try await child.talk.until("the end of its output", on: loop) { $0.isClosed }
                #expect(try await loop.run { child.talk.value.text == text })
                #expect(try await child.ending(on: loop) == .exited(status: 0))
                #expect(kill(child.id, 0) != 0, "it was waited for")
            }
        }

        @Test(arguments: [
            ("exit 3", ChildProcess.Ending.exited(status: 3)), ("kill -s KILL $$", .signaled(SIGKILL)),
            // Not ignored, as in this process.
            ("kill -s PIPE $$", .signaled(SIGPIPE)),
        ])
        func `the status or signal that a program ended with is reported`(
            _ script: String, _ expected: ChildProcess.Ending
        ) async throws {
            try await withLoop(.default) { loop in
                let child = try await Child.start(["sh", "-c", script], on: loop)
                #expect(try await child.ending(on: loop) == expected)
            }
        }

        @Test func `a signal reaches the program and what it started`() async throws {
            try await withLoop(.default) { loop in
                let child = try await Child.start(["sh", "-c", "sleep 1000 & echo ready; wait"], on: loop)
                try await child.talk.until("ready", on: loop) { $0.text == "ready\n" }
                try await loop.run { child.process.value.signal(SIGTERM) }
                #expect(try await child.ending(on: loop) == .signaled(SIGTERM))
                // The sleep held the pipe, too.
                try await child.talk.until("the end of the output", on: loop) { $0.endCount == 1 }
                try await loop.run {
                    child.process.value.signal(SIGTERM)
                    child.talk.value.stream.close()
                }
            }
        }

        @Test func `a program's last output can be read after its end`() async throws {
            try await withLoop(.default) { loop in
                let child = try await Child.start(["echo", "last words"], on: loop, isReading: false)
                #expect(try await child.ending(on: loop) == .exited(status: 0))
                try await loop.run { child.talk.value.stream.start() }
                try await child.talk.until("its words", on: loop) { $0.endCount == 1 }
                #expect(try await loop.run { child.talk.value.text == "last words\n" })
                try await loop.run { child.talk.value.stream.close() }
            }
        }

        @Test(arguments: [
            ("trap 'exit 5' TERM; sleep 1000 2>/dev/null & echo ready; wait", 1, ChildProcess.Ending.exited(status: 5)),
            ("trap '' TERM; sleep 1000 & echo ready; wait", 2, .signaled(SIGKILL)),
        ])
        func `a program that stays when its stream is closed is ended, by a second signal when it ignores the first`(
            _ script: String, _ graces: Int, _ expected: ChildProcess.Ending
        ) async throws {
            let clock = ManualClock()
            try await withLoop(.default, clock: clock) { loop in
                let child = try await Child.start(["sh", "-c", script], on: loop, grace: .seconds(5))
                try await child.talk.until("ready", on: loop) { $0.text == "ready\n" }
                try await loop.run { child.talk.value.stream.close() }
                for _ in 0..<graces {
                    try await loop.turns(1)
                    #expect(kill(child.id, 0) == 0)
                    try await loop.advance(clock, by: .seconds(5))
                }
                #expect(try await child.ending(on: loop) == expected)
            }
        }

        @Test func `a program that is there when the loop ends is killed and waited for`() async throws {
            let loop = try EventLoop(name: "test")
            try loop.start()
            let child = try await Child.start(["sleep", "1000"], on: loop)
            loop.stop()
            await loop.join()
            #expect(kill(child.id, 0) != 0)
        }

        @Test(arguments: [
            (["no-such-program"], ENOENT, "start no-such-program: there is no such program in PATH"),
            (["/nowhere/program"], ENOENT, "start /nowhere/program: No such file or directory"),
            (["/dev/null"], EACCES, "start /dev/null: Permission denied"),
            ([], ENOENT, "start: there is no program to start"),
        ])
        func `a program that can't be started is named`(
            _ command: [String], _ code: Int32, _ words: String
        ) async throws {
            try await withLoop(.default) { loop in
                let error = await #expect(throws: SystemError.self) { try await Child.start(command, on: loop) }
                #expect(error?.code == code)
                #expect(error?.description == words)
            }
        }
    }
}

/// A program, and a recorder of its output.
private struct Child: Sendable {
    let id: Int32
    let process: LoopBound<ChildProcess>
    let talk: LoopBound<Recorder>
    private let endings: LoopBound<Endings>

    private final class Endings {
        var reported: [ChildProcess.Ending] = []
        var keep: ((ChildProcess.Ending) -> Void)?
    }

    static func start(
        _ command: [String], on loop: EventLoop, grace: Duration = ChildProcess.defaultGrace, isReading: Bool = true
    ) async throws -> Child {
        try await loop.run {
            let endings = Endings()
            let process = try ChildProcess(command, on: loop, grace: grace) { ending in
                endings.reported.append(ending)
                #expect(endings.reported.count == 1)
                endings.keep?(ending)
            }
            let talk = Recorder(process.stream)
            if isReading { process.stream.start() }
            return Child(
                id: process.processID, process: LoopBound(process, loop: loop), talk: LoopBound(talk, loop: loop),
                endings: LoopBound(endings, loop: loop))
        }
    }

    func ending(on loop: EventLoop) async throws -> ChildProcess.Ending {
        try await loop.wait(for: "the end of the program") { keep in
            if let ending = endings.value.reported.first { keep(ending) } else { endings.value.keep = keep }
        }
    }
}
