import LibC
import TestSupport
import Testing

@testable import Transport

extension TransportTests {
    /// What a process reports of itself, by its end of the socket.
    @Suite struct WorkerReportsTests {
        /// - Parameter body: gets both ends, and the lengths of what was reported. It closes the process's end.
        private func withReports(
            _ body: (
                _ loop: EventLoop, _ reports: LoopBound<WorkerReports>, _ ends: (here: Int32, there: Int32),
                _ lengths: TestSupport.Recorder<Int>
            ) async throws -> Void
        ) async throws {
            try await withLoop(.default) { loop in
                var ends: [Int32] = [-1, -1]
                try #require(clinux_socket_pair(1, &ends) == 0)
                let (here, there) = (ends[0], ends[1])
                // Room for the longest one beside others.
                var size: Int32 = 1 << 20
                setsockopt(there, SOL_SOCKET, SO_SNDBUF, &size, 4)
                let lengths = TestSupport.Recorder<Int>()
                let reports = try await loop.run {
                    let reports = try WorkerReports(Descriptor(owning: here), on: loop) { lengths.record($0.count) }
                    return LoopBound(reports, loop: loop)
                }
                try await body(loop, reports, (here, there), lengths)
                try await loop.run { reports.value.close() }
            }
        }

        private func send(_ count: Int, to socket: Int32) {
            let bytes = [UInt8](repeating: 7, count: count)
            #expect(LibC.send(socket, bytes, count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) == count)
        }

        @Test func `what a process had sent when it ended is taken at once`() async throws {
            try await withReports { loop, reports, ends, lengths in
                let taken = try await loop.run {
                    for count in 1...8 { send(count, to: ends.there) }
                    close(ends.there)
                    reports.value.finish()
                    return lengths.elements
                }
                #expect(taken == Array(1...8))
            }
        }

        @Test func `reports are taken though the process ended with something that it hadn't read`() async throws {
            try await withReports { loop, reports, ends, lengths in
                let taken = try await loop.run {
                    send(1, to: ends.here)
                    for count in 1...3 { send(count, to: ends.there) }
                    close(ends.there)
                    reports.value.finish()
                    return lengths.elements
                }
                #expect(taken == [1, 2, 3])
            }
        }

        @Test func `a report that is too long is passed over`() async throws {
            try await withReports { loop, reports, ends, lengths in
                let longest = WorkerReports.maximumBytes
                let taken = try await loop.run {
                    for count in [1, longest + 1, 2, longest] { send(count, to: ends.there) }
                    close(ends.there)
                    reports.value.finish()
                    return lengths.elements
                }
                #expect(taken == [1, 2, longest])
            }
        }

        @Test func `of many reports some are taken in a turn, so that they hold up nobody`() async throws {
            try await withReports { loop, _, ends, lengths in
                let counts = TestSupport.Recorder<Int>()
                try await loop.run {
                    for count in 1...8 { send(count, to: ends.there) }
                    loop.atEndOfTurn {
                        loop.atEndOfTurn {
                            counts.record(lengths.elements.count)
                            loop.atEndOfTurn { counts.record(lengths.elements.count) }
                        }
                    }
                }
                #expect(await counts.elements(count: 2) == [4, 8])
                close(ends.there)
            }
        }
    }
}
