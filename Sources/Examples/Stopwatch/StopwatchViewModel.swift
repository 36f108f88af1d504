public import ViewModels

// Lesson 3: properties as events, and time.
//
// Each `@Observed` property is sent when the view model starts, and again each time it is set. The stopwatch goes on by
// itself: `start` begins a task that ticks until `stop`, and that ends when nothing holds the stopwatch any more.
//
// The progress of `start` goes on after its answer, as the task does, and ends with a message when the time is stopped.
//
// It measures time by a clock that the container gives it. In a server that is the real clock. A test gives the
// container a clock of its own, and so does the replay of a transcript; both go on without waiting, and always see the
// same times.

/// A stopwatch with laps.
public actor StopwatchViewModel: ObservableViewModel, PerRequest {
    /// The user's actions.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Starts the stopwatch, or lets it go on.
        case start
        /// Stops it; the time stays.
        case stop
        /// Notes the time.
        case lap
    }

    /// Whether time is running.
    @Observed public private(set) var isRunning = false
    /// The time that the stopwatch shows, in milliseconds, ten times a second.
    @Observed public private(set) var elapsedMilliseconds = 0
    /// The noted times in milliseconds, in order.
    @Observed public private(set) var lapMilliseconds: [Int] = []

    private let clock: any Clock<Duration>
    /// The time that had passed at the last start. `elapsedSince` measures the time since then.
    private var elapsedBefore = Duration.zero
    private var elapsedSince: @Sendable () -> Duration = { .zero }
    private var ticking: Task<Void, Never>?
    /// The progress of the `start` that runs.
    private var progress: WorkDoneProgress?

    /// A stopwatch at zero.
    ///
    /// - Parameter clock: measures the time; a test gives its own.
    public init(clock: any Clock<Duration>) {
        self.clock = clock
    }

    /// A stopwatch at zero that takes its clock from the container.
    ///
    /// - Throws: the container's error, where it is gone.
    public init(container: Container, arguments: Void) throws {
        try self.init(clock: container.resolve())
    }

    deinit {
        ticking?.cancel()
    }

    /// Starts, stops or notes the time. An action that makes no sense now, such as stopping twice, does nothing.
    public func handle(event: ViewEvent) {
        switch event {
        case .start: run()
        case .stop: halt()
        case .lap: lap()
        }
    }

    private func run() {
        guard !isRunning else { return }
        isRunning = true
        progress = .current
        progress?.begin(title: "Measuring time")
        let run = Run(by: clock)
        elapsedSince = run.elapsed
        // Weakly: a stopwatch that nothing holds any more stops.
        ticking = Task { [weak self] in
            var last = 0
            while let tick = try? await run.tick(last) {
                last = tick
                guard let self else { return }
                await self.show()
            }
        }
    }

    private func halt() {
        guard isRunning else { return }
        ticking?.cancel()
        show()
        elapsedBefore += elapsedSince()
        elapsedSince = { .zero }
        isRunning = false
        progress?.end(message: "\(elapsedMilliseconds) ms")
        progress = nil
    }

    private func lap() {
        guard isRunning else { return }
        show()
        lapMilliseconds.append(elapsedMilliseconds)
        progress?.report(message: "lap \(lapMilliseconds.count)")
    }

    private func show() {
        guard isRunning else { return }
        elapsedMilliseconds = Int((elapsedBefore + elapsedSince()) / .milliseconds(1))
    }
}

/// The time since a start, by a clock of any kind, with a tick each tenth of a second.
private struct Run: Sendable {
    /// The time since the start.
    let elapsed: @Sendable () -> Duration
    /// Waits for the next tick, and returns its number. Throws when the task is cancelled.
    ///
    /// It returns at once where that tick is past. Where more than nine are past, as after the machine was asleep, it skips
    /// to the ninth before the present.
    let tick: @Sendable (_ last: Int) async throws -> Int

    init(by clock: any Clock<Duration>) {
        self.init(startedNowBy: clock)
    }

    private init<C: Clock>(startedNowBy clock: C) where C.Duration == Duration {
        let start = clock.now
        let interval = Duration.milliseconds(100)
        elapsed = { start.duration(to: clock.now) }
        tick = { last in
            let next = max(last + 1, Int(start.duration(to: clock.now) / interval) - 9)
            try await clock.sleep(until: start.advanced(by: interval * next), tolerance: nil)
            return next
        }
    }
}
