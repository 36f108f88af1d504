import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct EventLoopTests {
        @Test(arguments: PollerKind.allCases)
        func `work of each thread runs in its order, and all of it`(poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                let seen = LoopBound(Seen(), loop: loop)
                await withTaskGroup(of: Void.self) { group in
                    for thread in 0..<4 {
                        group.addTask {
                            for number in 0..<5000 { loop.execute { seen.value.add(thread, number) } }
                        }
                    }
                }
                let counts = try await loop.run { seen.value.lists.mapValues(\.count) }
                #expect(counts == [0: 5000, 1: 5000, 2: 5000, 3: 5000])
                let isOrdered = try await loop.run { seen.value.lists.values.allSatisfy { $0 == Array(0..<5000) } }
                #expect(isOrdered)
            }
        }

        /// In a process of its own, which has descriptors for the parts of a loop one by one.
        @Test func `a loop for which no descriptor is left is an error, and leaves none open`() async {
            await #expect(processExitsWith: .success) {
                // The mailbox's, and epoll's.
                for (poller, free) in [(PollerKind.epoll, 0), (.epoll, 1), (.poll, 0)] {
                    // Another thread of a process that begins may just have closed one, with which the loop is made. Only
                    // then it is tried again: a refused one is always EMFILE, and never leaves one open.
                    let isRefused = (0..<10).contains { _ in
                        let next = dup(2)
                        close(next)
                        limitDescriptors(to: Int(next) + free)
                        defer { limitDescriptors(to: 256) }
                        do throws(SystemError) {
                            _ = try EventLoop(name: "none", poller: poller)
                            return false
                        } catch {
                            limitDescriptors(to: 256)
                            let now = dup(2)
                            close(now)
                            #expect(error.code == EMFILE && now <= next)
                            return true
                        }
                    }
                    #expect(isRefused)
                }
            }
        }

        @Test(arguments: PollerKind.allCases)
        func `work from the loop itself is never run inline, and before the end of the turn`(
            poller: PollerKind
        ) async throws {
            try await withLoop(poller) { loop in
                let words = LoopBound(Words(), loop: loop)
                try await loop.run {
                    loop.atEndOfTurn {
                        words.value.add("end")
                        loop.atEndOfTurn { words.value.add("next end") }
                        loop.execute { words.value.add("next turn") }
                    }
                    loop.execute {
                        words.value.add("second")
                        loop.execute { words.value.add("third") }
                    }
                    words.value.add("first")
                }
                while try await loop.run({ words.value.list.count < 6 }) {}
                let list = try await loop.run { words.value.list }
                #expect(list == ["first", "second", "third", "end", "next turn", "next end"])
            }
        }

        @Test func `closures and objects are called at the end of the turn in the order they asked`() async throws {
            try await withLoop(.default) { loop in
                let words = LoopBound(Words(), loop: loop)
                try await loop.run {
                    let asker = Asker(words.value, loop)
                    loop.atEndOfTurn(call: asker)
                    loop.atEndOfTurn { words.value.add("closure") }
                    loop.atEndOfTurn(call: asker)
                }
                while try await loop.run({ words.value.list.count < 5 }) {}
                #expect(try await loop.run { words.value.list } == ["object", "closure", "object", "later", "later"])
            }
        }

        @Test func `work that was queued before the start and before the stop runs`() async throws {
            let count = Counter()
            let loop = try EventLoop(name: "start")
            loop.execute { count.increment() }
            try loop.start()
            loop.execute { loop.execute { count.increment() } }
            loop.stop()
            loop.stop()
            await loop.join()
            #expect(count.value == 2)
            loop.execute { count.increment() }
            loop.stop()
            loop.schedule(after: .zero) { count.increment() }.cancel()
            await loop.join()
            #expect(count.value == 2)
            #expect(!loop.isCurrent && loop.jobNumber == 0)
        }

        @Test func `join also blocks a thread, and returns for a loop that never ran`() throws {
            let loop = try EventLoop(name: "blocking")
            try loop.start()
            loop.execute { loop.stop() }
            loop.join()
            let other = try EventLoop(name: "never")
            other.stop()
            other.join()
        }

        @Test(arguments: PollerKind.allCases)
        func `work that queues itself without end starves no timer and not the stop`(poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                @Sendable func again() { loop.execute { again() } }
                again()
                let isFired: Bool = try await loop.wait(for: "the timer") { keep in
                    loop.schedule(after: .zero) { keep(true) }
                }
                #expect(isFired)
            }
        }

        @Test(arguments: PollerKind.allCases)
        func `a task and the actors it calls run on the loop, each job with its number`(poller: PollerKind) async throws
        {
            try await withLoop(poller) { loop in
                let model = Model(loop: loop)
                let task = Task(executorPreference: loop) {
                    #expect(loop.isCurrent)
                    let first = loop.jobNumber
                    #expect(first > 0)
                    #expect(loop.jobNumber == first)
                    await Task.yield()
                    #expect(loop.isCurrent)
                    let second = loop.jobNumber
                    #expect(second > first)
                    return await model.count()
                }
                #expect(await task.value == 1)
                #expect(await task.value == 1)
            }
        }

        @Test func `a value bound to a loop is not to be had elsewhere`() async {
            await #expect(processExitsWith: .failure) {
                let loop = try EventLoop(name: "bound")
                _ = LoopBound(1, loop: loop).value
            }
        }

        @Test(arguments: PollerKind.allCases)
        func `a prepared stream is served in the first turn, and its answer is sent by the end of that`(
            poller: PollerKind
        ) async throws {
            let loop = try EventLoop(name: "prepared", poller: poller)
            let (near, far) = try makeSocketPair()
            let peer = Descriptor(owning: near)
            #expect(write(peer.number, "ping", 4) == 4)
            loop.prepare {
                #expect(loop.isCurrent)
                let stream = DescriptorStream(Descriptor(owning: far), peer: "pair", loop: loop)
                stream.handler = Echo()
                stream.start()
            }
            #expect(!loop.isCurrent)
            let firstTurn = loop.endOfFirstTurn()
            #expect(!firstTurn.wait(atMost: .zero))
            try loop.start()
            #expect(firstTurn.wait(atMost: deadline))
            var bytes = [UInt8](repeating: 0, count: 8)
            #expect(recv(peer.number, &bytes, bytes.count, Int32(MSG_DONTWAIT)) == 4)
            #expect(bytes.prefix(4) == [0x70, 0x69, 0x6E, 0x67])
            loop.stop()
            await loop.join()
        }

        @Test func `an error is handed on, and the thread is another loop's again`() throws {
            let (outer, inner) = (try EventLoop(name: "outer"), try EventLoop(name: "inner"))
            outer.prepare {
                #expect(throws: DeadlinePassed.self) {
                    try inner.prepare {
                        #expect(inner.isCurrent && !outer.isCurrent)
                        throw DeadlinePassed(description: "")
                    }
                }
                #expect(outer.isCurrent && !inner.isCurrent)
            }
        }

        @Test func `a loop that runs can't be prepared`() async {
            await #expect(processExitsWith: .failure) {
                let loop = try EventLoop(name: "running")
                try loop.start()
                loop.prepare {}
            }
        }
    }
}

private actor Model {
    private let loop: EventLoop
    private var calls = 0

    init(loop: EventLoop) {
        self.loop = loop
    }

    func count() async -> Int {
        #expect(loop.isCurrent)
        await Task.yield()
        #expect(loop.isCurrent)
        calls += 1
        return calls
    }
}

private final class Seen {
    private(set) var lists: [Int: [Int]] = [:]

    func add(_ thread: Int, _ number: Int) {
        lists[thread, default: []].append(number)
    }
}

private final class Asker: TurnEndHandler {
    private let words: Words
    private let loop: EventLoop

    init(_ words: Words, _ loop: EventLoop) {
        self.words = words
        self.loop = loop
    }

    func loopWillEndTurn() {
        words.add("object")
        loop.atEndOfTurn { self.words.add("later") }
    }
}

private final class Words {
    private(set) var list: [String] = []

    func add(_ word: String) {
        list.append(word)
    }
}

/// Sends back what it reads.
private final class Echo: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        stream.write { $0.append(contentsOf: bytes) }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {}
    func streamDidSend(_ stream: any ByteStream) {}
    func stream(_ stream: any ByteStream, didClose error: SystemError?) {}
}

private func limitDescriptors(to count: Int) {
    var limit = rlimit(rlim_cur: UInt(count), rlim_max: 256)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
