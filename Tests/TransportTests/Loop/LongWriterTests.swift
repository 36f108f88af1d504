import TestSupport
import Testing

@testable import Transport

extension TransportTests {
    @Suite struct LongWriterTests {
        /// Writes its name, in a time of its own.
        private final class Writer: TurnEndWriter {
            let name: String
            let writesMuch: Bool
            private let written: TestSupport.Recorder<String>
            private let passTime: () -> Void

            init(
                _ name: String, writesMuch: Bool, _ written: TestSupport.Recorder<String>,
                passTime: @escaping () -> Void = {}
            ) {
                self.name = name
                self.writesMuch = writesMuch
                self.written = written
                self.passTime = passTime
            }

            func writeAtTurnEnd() {
                written.record(name)
                passTime()
            }
        }

        @Test func `streams that write much go last, and share what is left of a turn`() async throws {
            let clock = ManualClock()
            let written = TestSupport.Recorder<String>()
            try await withLoop(.default, clock: clock) { loop in
                try await loop.run {
                    // Each takes more than half of the time that a turn has for them.
                    let second = { clock.advance(by: LoopCore.longWriteTime * 2 / 3) }
                    for name in ["long 1", "long 2", "long 3"] {
                        loop.core.writeAtEndOfTurn(Writer(name, writesMuch: true, written, passTime: second))
                    }
                    loop.core.writeAtEndOfTurn(Writer("short 1", writesMuch: false, written))
                }
                try await loop.run {
                    loop.core.writeAtEndOfTurn(Writer("short 2", writesMuch: false, written))
                }
                try await loop.turns(2)
            }
            let order = written.elements
            #expect(Array(order.prefix(3)) == ["short 1", "long 1", "long 2"])
            // The one that was left goes on in the next turn, behind those with less.
            #expect(Set(order) == ["short 1", "short 2", "long 1", "long 2", "long 3"])
            #expect(order.count == 5)
        }

        @Test func `a turn goes on without a wait as long as a stream that writes much is left`() async throws {
            let clock = ManualClock()
            let written = TestSupport.Recorder<String>()
            try await withLoop(.default, clock: clock) { loop in
                try await loop.run {
                    for number in 1...20 {
                        let writer = Writer("\(number)", writesMuch: true, written) {
                            clock.advance(by: LoopCore.longWriteTime)
                        }
                        loop.core.writeAtEndOfTurn(writer)
                    }
                }
                // No other event comes: the loop doesn't wait for one.
                #expect(await written.elements(count: 20) == (1...20).map { "\($0)" })
            }
        }
    }
}
