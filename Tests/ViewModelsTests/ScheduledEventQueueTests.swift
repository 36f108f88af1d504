import Synchronization
import TestSupport
import Testing
import ViewModels

/// Events of a View in the same process: the same schedules as in a session.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct ScheduledEventQueueTests {
    private enum Event: ScheduledEvent, Equatable {
        case query(String), search(String), select(Int), accept

        var schedule: EventSchedule {
            switch self {
            case .query: .superseding(debounce: .milliseconds(50))
            case .search: .superseding()
            case .select: .independent
            case .accept: .inOrder
            }
        }
    }

    private let clock = ManualClock()
    private let handled = Recorder<Event>()
    private let superseded = Recorder<Event>()

    private func queue(clock: ManualClock?, _ receive: @escaping @Sendable (Event) async -> Void = { _ in })
        -> ScheduledEventQueue<Event>
    {
        ScheduledEventQueue(
            clock: clock,
            receive: { [handled] event, _ in
                await receive(event)
                handled.record(event)
            }, supersede: { [superseded] event, _ in superseded.record(event) })
    }

    /// Returns when the calling task is cancelled.
    private static func untilCancelled() async {
        let gate = Gate()
        await withTaskCancellationHandler {
            await gate.wait()
        } onCancel: {
            gate.open()
        }
    }

    @Test func `of events that follow each other soon the last is handled, once none has followed it for a while`()
        async
    {
        let queue = queue(clock: clock)
        queue.push(.query("a"))
        queue.push(.query("ab"))
        #expect(await superseded.elements(count: 1) == [.query("a")])
        await clock.sleepers(2)
        clock.advance(by: .milliseconds(49))
        #expect(handled.elements.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(await handled.elements(count: 1) == [.query("ab")])
    }

    @Test func `an event that waits behind a debounced one ends the debounce`() async {
        let queue = queue(clock: clock)
        queue.push(.query("a"))
        queue.push(.accept)
        #expect(await handled.elements(count: 2) == [.query("a"), .accept])
        #expect(superseded.elements.isEmpty)
    }

    @Test func `without a clock nothing is debounced`() async {
        queue(clock: nil).push(.query("a"))
        #expect(await handled.elements(count: 1) == [.query("a")])
    }

    @Test func `an event that is superseded is cancelled, others wait for it or don't`() async {
        let begun = Recorder<Event>()
        let queue = queue(clock: clock) { event in
            begun.record(event)
            if event == .search("a") { await Self.untilCancelled() }
        }
        queue.push(.search("a"))
        _ = await begun.elements(count: 1)
        queue.push(.accept)
        queue.push(.select(1))
        #expect(await handled.elements(count: 1) == [.select(1)])
        queue.push(.search("ab"))
        #expect(await handled.elements(count: 4) == [.select(1), .search("a"), .accept, .search("ab")])
        #expect(superseded.elements.isEmpty)
    }

    private final class Model: ViewModel {
        let output = Output<Never>()
        let begun = Recorder<Event>()
        let gate = Gate()

        func handle(event: Event) async throws {
            begun.record(event)
            if event == .accept { await gate.wait() }
        }
    }

    private final class Screen: View {
        let output = Output<Event>()
        let failures = Recorder<String>()

        func handle(event: Never) {}
        func handle(failure: any Error, of event: Event) {
            failures.record("\(event): \(failure is CancellationError)")
        }
    }

    @Test func `a bound View's events keep their schedules, and it is told of those that aren't handled`() async throws
    {
        let (screen, model) = (Screen(), Model())
        try await screen.bind(with: model)
        for event in [Event.accept, .search("a"), .search("ab"), .select(1)] { screen.output.send(event) }
        #expect(await screen.failures.elements(count: 1) == [#"search("a"): true"#])
        #expect(Set(await model.begun.elements(count: 2).map { "\($0)" }) == ["accept", "select(1)"])
        model.gate.open()
        #expect(await model.begun.elements(count: 3).last == .search("ab"))
    }
}
