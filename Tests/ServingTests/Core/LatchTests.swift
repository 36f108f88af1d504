import TestSupport
import Testing

import Serving

@Suite(.inTurn) struct LatchTests {
    @Test func `whoever waits goes on when it was counted down often enough, or opened`() async {
        let counted = Latch(count: 2)
        let opened = Latch(count: 2)
        async let waiting: Void = counted.wait()
        async let other: Void = opened.wait()
        counted.countDown()
        counted.countDown()
        opened.open()
        _ = await (waiting, other)
        counted.countDown()
        await counted.wait()
        await Latch(count: 0).wait()
    }
}
