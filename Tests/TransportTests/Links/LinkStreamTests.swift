import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct LinkStreamTests {
        private static let window = 256 * 1024

        @Test(arguments: LinkKind.allCases)
        func `messages of any length arrive whole, in both directions`(kind: LinkKind) async throws {
            try await withLink(kind) { links in
                let ends = try await links.open()
                let lengths = [0, 1, 0, 65_534, 65_535, 65_536, 65_537, 131_072, 262_143, 262_144, 300_000, 2]
                let messages = lengths.map { pattern($0) }
                try await ends.near.send(messages)
                try await ends.far.send(messages.reversed())
                try await ends.far.until("the messages") { $0.messages.count == lengths.count }
                try await ends.near.until("the messages") { $0.messages.count == lengths.count }
                try await ends.far.run { #expect($0.messages == messages) }
                try await ends.near.run { #expect($0.messages == messages.reversed()) }
            }
        }

        @Test(arguments: LinkKind.allCases)
        func `parts make one message`(kind: LinkKind) async throws {
            try await withLink(kind) { links in
                let ends = try await links.open()
                let parts = [[1, 2], [], pattern(70_000), [3]]
                for (index, part) in parts.enumerated() {
                    // Each in a turn of its own.
                    try await ends.near.run { recorder in
                        recorder.stream.write(isLast: index == parts.count - 1) { $0.append(contentsOf: part) }
                    }
                }
                try await ends.near.send([[9]])
                try await ends.far.until("the messages") { $0.messages.count == 2 }
                try await ends.far.run { #expect($0.messages == [parts.flatMap(\.self), [9]]) }
            }
        }

        @Test(arguments: [LinkKind.memory, .sockets])
        func `five megabytes in each direction at once`(kind: LinkKind) async throws {
            try await withLink(kind) { links in
                let ends = try await links.open()
                let message = pattern(5_000_000)
                try await ends.near.send([message])
                try await ends.far.send([message, [1]])
                try await ends.far.until("the message") { $0.messages.count == 1 }
                try await ends.near.until("the messages") { $0.messages.count == 2 }
                try await ends.far.run { #expect($0.messages == [message]) }
                try await ends.near.run { #expect($0.messages == [message, [1]]) }
            }
        }

        @Test(arguments: [LinkKind.memory, .sockets])
        func `one that doesn't read holds up its own channel alone, which keeps a window`(kind: LinkKind) async throws {
            try await withLink(kind) { links in
                let (slow, quick) = (try await links.open("slow"), try await links.open("quick"))
                try await slow.far.run { $0.stream.isReadingPaused = true }
                try await slow.near.send((0..<100).map { _ in bulk(10_000) })
                for number in 1...20 {
                    try await quick.near.send([bulk(100_000)])
                    try await quick.far.until("the message") { $0.messages.count == number }
                }
                try await slow.near.run { recorder in
                    let unsent = recorder.stream.unsentByteCount
                    #expect(unsent > 1_000_000 - Self.window && unsent <= 1_000_000 - Self.window + 200)
                    #expect(recorder.sentCount == 0)
                }
                try await slow.far.run { recorder in
                    #expect(recorder.messages.isEmpty)
                    recorder.stream.isReadingPaused = false
                }
                try await slow.far.until("the messages") { $0.messages.count == 100 }
                try await slow.near.until("the report") { $0.sentCount == 1 && $0.stream.unsentByteCount == 0 }
            }
        }

        @Test(arguments: LinkKind.allCases)
        func `a pause inside of didRead keeps the next message`(kind: LinkKind) async throws {
            try await withLink(kind) { links in
                let ends = try await links.open()
                try await ends.far.run { $0.didRead = { recorder, _ in recorder.stream.isReadingPaused = true } }
                try await ends.near.send([[1], [2], [3]])
                for number in 1...3 {
                    try await ends.far.until("a message") { $0.messages.count == number }
                    try await ends.far.run { recorder in
                        #expect(recorder.messages.count == number)
                        recorder.stream.isReadingPaused = false
                        #expect(recorder.messages.count == number, "didRead inside of the setter")
                    }
                }
            }
        }

        @Test(arguments: LinkKind.allCases)
        func `after a half close the other way goes on`(kind: LinkKind) async throws {
            try await withLink(kind) { links in
                let ends = try await links.open()
                try await ends.near.run { recorder in
                    recorder.send("question")
                    recorder.stream.finishWriting()
                }
                try await ends.far.until("the end") { $0.endCount == 1 && $0.text == "question" }
                try await ends.far.send([bulk(300_000)])
                try await ends.near.until("the answer") { $0.messages.count == 1 }
                try await ends.far.run { $0.stream.finishWriting() }
                try await ends.near.until("the close") { $0.closures == [nil] && $0.endCount == 1 }
                try await ends.far.until("the close") { $0.closures == [nil] }
            }
        }

        @Test(arguments: LinkKind.allCases)
        func `both sides may finish at once, with more to send than the windows take`(kind: LinkKind) async throws {
            try await withLink(kind) { links in
                let ends = try await links.open()
                for end in [ends.near, ends.far] {
                    try await end.run { recorder in
                        recorder.stream.write { $0.append(contentsOf: bulk(1_000_000)) }
                        recorder.stream.finish()
                    }
                }
                try await ends.near.until("the close") { $0.isClosed }
                try await ends.far.until("the close") { $0.isClosed }
                // The link is as good as before.
                let others = try await links.open("b")
                try await others.near.send([[1]])
                try await others.far.until("the message") { $0.messages == [[1]] }
            }
        }

        @Test(arguments: LinkKind.allCases)
        func `both sides may close at once`(kind: LinkKind) async throws {
            try await withLink(kind) { links in
                for number in 0..<10 {
                    let ends = try await links.open("\(number)")
                    try await ends.near.send([bulk(100_000)])
                    try await ends.far.send([bulk(100_000)])
                    try await ends.near.run { $0.stream.close() }
                    try await ends.far.run { $0.stream.close() }
                    try await ends.near.until("the close") { $0.closures == [nil] }
                    try await ends.far.until("the close") { $0.isClosed }
                }
            }
        }

        @Test(arguments: LinkKind.allCases)
        func `a link that is cut in the middle of a message closes all its channels`(kind: LinkKind) async throws {
            try await withLink(kind) { links in
                let (ends, idle) = (try await links.open("a"), try await links.open("b"))
                try await ends.near.run { recorder in
                    recorder.send("whole")
                    recorder.stream.write(isLast: false) { $0.append(contentsOf: bulk(100_000)) }
                }
                try await ends.far.until("the first message") { $0.messages.count == 1 }
                try await links.near.loop.run { links.nearStream.value.close() }
                for end in [ends.near, ends.far, idle.near, idle.far] {
                    try await end.until("the close") { $0.isClosed }
                    try await end.run { recorder in
                        #expect(recorder.closures.first??.description.contains("link") == true)
                        #expect(recorder.endCount == 0)
                    }
                }
                try await ends.far.run { #expect($0.text == "whole") }
                let late = try await links.nearLoop.run {
                    let stream = links.near.openChannel(payload: [], on: links.nearLoop, peer: "late")
                    return LoopBound(Recorder(stream), loop: links.nearLoop)
                }
                try await late.until("the close", on: links.nearLoop) { $0.isClosed }
                try await links.nearLoop.run { #expect(late.value.closures.first??.call == "link") }
            }
        }

        @Test(arguments: LinkKind.allCases)
        func `a link that is closed sends first what was written`(kind: LinkKind) async throws {
            try await withLink(kind) { links in
                let (ends, idle) = (try await links.open("a"), try await links.open("b"))
                try await ends.near.send([bulk(1_000_000), [1]])
                links.near.close()
                links.near.close()
                for end in [ends.near, ends.far, idle.near, idle.far] {
                    try await end.until("the close") { $0.isClosed }
                }
                try await ends.far.run { recorder in
                    #expect(recorder.messages.map(\.count) == [1_000_000, 1])
                    let words = recorder.closures.first??.description ?? ""
                    #expect(words.contains("going away"), "\(kind): \(words)")
                }
                try await ends.near.run { #expect($0.closures.first??.code == ECANCELED) }
            }
        }

        @Test(arguments: LinkKind.allCases)
        func `a message that is too long closes its channel alone`(kind: LinkKind) async throws {
            try await withLink(kind) { links in
                let (ends, others) = (try await links.open("a"), try await links.open("b"))
                let budget = InputBudget(maximumBytes: 10_000_000)
                try await ends.far.run { recorder in
                    recorder.stream.inputGuard = InputGuard(
                        loop: recorder.stream.loop, budget: budget, messageBytes: 100_000, messageTime: deadline
                    ) { _ in }
                }
                try await ends.near.send([bulk(100_000), bulk(100_001)])
                try await ends.far.until("the close") { $0.isClosed }
                try await ends.near.until("the close") { $0.isClosed }
                try await ends.far.run { recorder in
                    #expect(recorder.messages.count == 1)
                    #expect(recorder.closures.first??.description.contains("100000 bytes") == true)
                }
                try await ends.near.run { recorder in
                    #expect(recorder.closures.first??.description.contains("gave the channel up") == true)
                }
                #expect(budget.bytes == 0)
                try await others.near.send([[1]])
                try await others.far.until("the message") { $0.messages == [[1]] }
            }
        }

        @Test func `a message that isn't whole is in the budget`() async throws {
            try await withLink(.memory) { links in
                let ends = try await links.open()
                let budget = InputBudget(maximumBytes: 250_000)
                let loop = links.farLoop
                let fault: InputGuard.Fault = try await loop.wait(for: "the fault") { keep in
                    ends.far.recorder.value.stream.inputGuard = InputGuard(
                        loop: loop, budget: budget, messageBytes: 10_000_000, messageTime: deadline, onFault: keep)
                    let near = ends.near.recorder.value.stream
                    near.write(isLast: false) { $0.append(contentsOf: bulk(300_000)) }
                }
                #expect(fault == .tooMuch)
            }
        }

        @Test(arguments: LinkKind.allCases)
        func `messages wait for the start of a stream`(kind: LinkKind) async throws {
            try await withLink(kind) { links in
                let ends = try await links.open(isStarted: false)
                try await ends.near.send([[1], [2]])
                try await ends.near.run { $0.stream.finish() }
                try await ends.near.until("the close") { $0.closures == [nil] }
                try await ends.far.run { recorder in
                    #expect(recorder.messages.isEmpty)
                    recorder.stream.start()
                }
                try await ends.far.until("the end") { $0.endCount == 1 }
                try await ends.far.run { #expect($0.messages == [[1], [2]]) }
            }
        }
    }
}
