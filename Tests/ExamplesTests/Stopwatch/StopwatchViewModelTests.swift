import Examples
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct StopwatchViewModelTests {
    private let clock = ManualClock()

    /// The times that the stopwatch has shown, in order.
    private func shown(_ model: StopwatchViewModel) async -> Recorder<Int> {
        let times = Recorder<Int>()
        await model.$elapsedMilliseconds.subscribe(times) { times, time in times.record(time) }
        return times
    }

    @Test func `it ticks while it runs`() async {
        let model = StopwatchViewModel(clock: clock)
        let times = await shown(model)
        await model.handle(event: .start)
        for tick in 1...3 {
            await clock.sleepers(1)
            clock.advance(by: .milliseconds(100))
            #expect(await times.elements(count: tick).last == tick * 100)
        }
        #expect(await model.isRunning)
        await model.handle(event: .stop)
    }

    @Test func `it goes on from where it stopped`() async {
        let model = StopwatchViewModel(clock: clock)
        await model.handle(event: .start)
        await clock.sleepers(1)
        clock.advance(by: .milliseconds(50))
        await model.handle(event: .stop)
        #expect(await model.elapsedMilliseconds == 50)
        #expect(await !model.isRunning)
        clock.advance(by: .seconds(10))
        await model.handle(event: .start)
        await clock.sleepers(1)
        clock.advance(by: .milliseconds(25))
        await model.handle(event: .stop)
        #expect(await model.elapsedMilliseconds == 75)
    }

    @Test func `laps note the time, while it runs`() async {
        let model = StopwatchViewModel(clock: clock)
        await model.handle(event: .lap)
        await model.handle(event: .start)
        await model.handle(event: .start)
        for _ in 0..<2 {
            await clock.sleepers(1)
            clock.advance(by: .milliseconds(30))
            await model.handle(event: .lap)
        }
        await model.handle(event: .stop)
        await model.handle(event: .lap)
        #expect(await model.lapMilliseconds == [30, 60])
    }

    @Test func `it stops when nobody holds it any more`() async {
        weak var released: StopwatchViewModel?
        do {
            let model = StopwatchViewModel(clock: clock)
            released = model
            await model.handle(event: .start)
            await clock.sleepers(1)
        }
        await until { clock.sleeperCount == 0 }
        #expect(released == nil)
    }
}
