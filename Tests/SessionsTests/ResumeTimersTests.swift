import Sessions
import TestSupport
import Testing

@Suite(.inTurn) struct ResumeTimersTests {
    @Test(arguments: 0..<50)
    func `each session ends when its own window is over, and one task sleeps for all of them`(seed: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let (clock, executor, ends) = (ManualClock(), StepExecutor(), Recorder<String>())
        let context = SessionContext(
            executor: executor, limits: SharedLimits(.with { $0.resumeWindow = .seconds(10) }), clock: clock,
            onEnd: { ends.record($0.key) })
        let sessions = (0..<40).map {
            Session(key: "\($0)", viewModelName: "test", model: ScriptedModel(), context: context)
        }
        var views = try sessions.map { try $0.attach(TestViewer(), number: 1, client: nil).view as Int? }
        var deadlines = [Int?](repeating: nil, count: sessions.count)
        var (now, expected) = (0, Set<String>())
        for _ in 0..<300 {
            let index = Int.random(in: sessions.indices, using: &generator)
            if Int.random(in: 0..<6, using: &generator) == 0 {
                let seconds = Int.random(in: 1...4, using: &generator)
                now += seconds
                clock.advance(by: .seconds(seconds))
                for (index, deadline) in deadlines.enumerated() where deadline.map({ $0 <= now }) ?? false {
                    expected.insert("\(index)")
                    deadlines[index] = nil
                }
            } else if let view = views[index] {
                sessions[index].detach(view)
                (views[index], deadlines[index]) = (nil, now + 10)
            } else if deadlines[index] != nil {
                views[index] = try sessions[index].attach(TestViewer(), number: 1, client: nil).view
                deadlines[index] = nil
            }
            executor.run()
            #expect(ends.elements.count == expected.count && Set(ends.elements) == expected)
            #expect(clock.sleeperCount == (deadlines.contains { $0 != nil } ? 1 : 0))
        }
        #expect(!expected.isEmpty)
    }
}
