import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct StdioTests {
        @Test(arguments: PollerKind.allCases)
        func `files and the null device are read to their end and written`(poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                let directory = try TemporaryDirectory()
                let path = directory.path + "/file"
                let text = String(repeating: "0123456789", count: 50_000)
                let writer = try await loop.run {
                    let recorder = Recorder(
                        try Stdio.stream(
                            input: Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC)),
                            output: Descriptor(owning: open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)), on: loop))
                    recorder.didEnd = { recorder in
                        recorder.send(text)
                        recorder.stream.finish()
                    }
                    recorder.stream.start()
                    return LoopBound(recorder, loop: loop)
                }
                try await writer.until("the close", on: loop) { $0.isClosed }
                let reader = try await loop.run {
                    let recorder = Recorder(
                        try Stdio.stream(
                            input: Descriptor(owning: open(path, O_RDONLY | O_CLOEXEC)),
                            output: Descriptor(owning: open("/dev/null", O_WRONLY | O_CLOEXEC)), on: loop))
                    recorder.didEnd = { $0.stream.close() }
                    recorder.stream.start()
                    return LoopBound(recorder, loop: loop)
                }
                try await reader.until("the close", on: loop) { $0.isClosed }
                #expect(try await loop.run { reader.value.text == text })
                unlink(path)
                directory.remove()
            }
        }

        @Test(arguments: PollerKind.allCases, [true, false])
        func `bytes that a full disk doesn't take are counted in the error`(
            poller: PollerKind, readsOn: Bool
        ) async throws {
            try await expectErrorOfWriting(
                poller, to: open("/dev/full", O_WRONLY | O_CLOEXEC), readsOn: readsOn,
                "write stdio: No space left on device; 12 bytes couldn't be written and are lost", isDeparture: false)
        }

        @Test(arguments: PollerKind.allCases)
        func `a reader that has left is no failure of the system`(poller: PollerKind) async throws {
            let pipe = try makePipe()
            close(pipe.reading)
            try await expectErrorOfWriting(
                poller, to: pipe.writing, readsOn: true,
                "write stdio: Broken pipe; 12 bytes couldn't be written and are lost", isDeparture: true)
        }

        /// A stream whose output takes none of twelve bytes.
        private func expectErrorOfWriting(
            _ poller: PollerKind, to output: Int32, readsOn: Bool, _ expected: String, isDeparture: Bool
        ) async throws {
            try await withLoop(poller) { loop in
                let recorder = try await loop.run {
                    let recorder = Recorder(
                        try Stdio.stream(
                            input: Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC)),
                            output: Descriptor(owning: output), on: loop))
                    recorder.readsOn = readsOn
                    recorder.send("Hello, ")
                    recorder.send("world")
                    recorder.stream.start()
                    return LoopBound(recorder, loop: loop)
                }
                try await recorder.until("the close", on: loop) { $0.isClosed }
                let error = try await loop.run { recorder.value.closures.first ?? nil }
                #expect(error?.description == expected && error?.isDeparture == isDeparture)
            }
        }

        @Test(arguments: PollerKind.allCases)
        func `a pipe that others share still blocks them`(poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                let (there, back) = (try makePipe(), try makePipe())
                let shared = (dup(there.reading), dup(back.writing))
                let stream = try await loop.run {
                    let stream = try Stdio.stream(
                        input: Descriptor(owning: there.reading), output: Descriptor(owning: back.writing), on: loop)
                    stream.start()
                    return LoopBound(stream, loop: loop)
                }
                #expect(fcntl(shared.0, F_GETFL) & O_NONBLOCK == 0)
                #expect(fcntl(shared.1, F_GETFL) & O_NONBLOCK == 0)
                try await loop.run { stream.value.close() }
                for descriptor in [shared.0, shared.1, there.writing, back.reading] { close(descriptor) }
            }
        }

        /// In a process of its own, whose standard input and output are the pipes that the test sets there.
        @Test func `printed text goes to standard error, and standard input is empty`() async {
            await #expect(processExitsWith: .success) {
                let (there, back, errors) = (try makePipe(), try makePipe(), try makePipe())
                dup2(there.reading, 0)
                dup2(back.writing, 1)
                let standardError = dup(2)
                dup2(errors.writing, 2)
                let loop = try EventLoop(name: "stdio")
                try loop.start()
                let recorder = try await loop.run {
                    let recorder = Recorder(try Stdio.open(on: loop))
                    recorder.stream.start()
                    return LoopBound(recorder, loop: loop)
                }
                print("hello from a view model")
                write(there.writing, "question", 8)
                try await recorder.until("the question", on: loop) { $0.text == "question" }
                try await loop.run { recorder.value.send("answer") }
                try await loop.run {}
                var buffer = [UInt8](repeating: 0, count: 100)
                #expect(read(0, &buffer, buffer.count) == 0)
                #expect(read(back.reading, &buffer, buffer.count) == 6)
                #expect(buffer.starts(with: "answer".utf8))
                #expect(read(errors.reading, &buffer, buffer.count) == 24)
                #expect(buffer.starts(with: "hello from a view model\n".utf8))
                dup2(standardError, 2)
                loop.stop()
                await loop.join()
            }
        }
    }
}
