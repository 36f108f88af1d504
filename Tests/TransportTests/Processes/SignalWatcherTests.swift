import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct SignalWatcherTests {
        @Test func `signals come to the loop, and the disposition before is restored`() async {
            await #expect(processExitsWith: .signal(SIGHUP)) {
                for poller in PollerKind.allCases {
                    signal(SIGHUP, SIG_DFL)
                    let loop = try EventLoop(name: "signals", poller: poller)
                    try loop.start()
                    let received: Int32 = try await loop.wait(for: "the signal") { keep in
                        _ = try SignalWatcher(on: loop) { keep($0) }
                        raise(SIGHUP)
                    }
                    guard received == SIGHUP else { exit(1) }
                    loop.stop()
                    await loop.join()
                }
                // Threads of Swift's pool block signals.
                var set = sigset_t()
                sigemptyset(&set)
                sigaddset(&set, SIGHUP)
                pthread_sigmask(SIG_UNBLOCK, &set, nil)
                raise(SIGHUP)
            }
        }

        @Test func `a second signal ends the process, whatever the loop does`() async {
            await #expect(processExitsWith: .signal(SIGTERM)) {
                signal(SIGHUP, SIG_DFL)
                signal(SIGTERM, SIG_DFL)
                let loop = try EventLoop(name: "signals")
                try loop.start()
                let hold = Semaphore()
                let received: Int32 = try await loop.wait(for: "the first signal") { keep in
                    _ = try SignalWatcher(on: loop, secondEnds: true) {
                        keep($0)
                        hold.wait()
                    }
                    raise(SIGHUP)
                }
                guard received == SIGHUP else { exit(1) }
                kill(getpid(), SIGTERM)
                // The process ends, though its loop never goes on.
                hold.wait()
                exit(2)
            }
        }

        @Test func `a signal that is ignored stays ignored`() async {
            await #expect(processExitsWith: .success) {
                signal(SIGHUP, SIG_IGN)
                signal(SIGTERM, SIG_DFL)
                let loop = try EventLoop(name: "signals")
                try loop.start()
                let received: Int32 = try await loop.wait(for: "the other signal") { keep in
                    _ = try SignalWatcher(on: loop) { keep($0) }
                    raise(SIGHUP)
                    raise(SIGTERM)
                }
                #expect(received == SIGTERM)
                loop.stop()
                await loop.join()
            }
        }
    }
}
