public import ViewModels

/// A stopwatch with laps: properties that tell each change, a clock that is injected, and work that goes on by itself.
public actor StopwatchViewModel: ObservableViewModel, PerRequest {
    /// What the user did.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Starts, or goes on.
        case start
        /// Stops; the time stays.
        case stop
        /// Notes the time.
        case lap
    }

    /// Whether time is running.
    @Observed public private(set) var isRunning = false
    /// What the stopwatch shows, told ten times a second.
    @Observed public private(set) var elapsedMilliseconds = 0
    /// The times that were noted, in milliseconds, in order.
    @Observed public private(set) var lapMilliseconds: [Int] = []

    private let clock: any Clock<Duration>
    /// What had elapsed when it was started last, and what has since.
    private var elapsedBefore = Duration.zero
    private var elapsedSince: @Sendable () -> Duration = { .zero }
    private var ticking: Task<Void, Never>?

    /// A stopwatch at zero.
    ///
    /// - Parameter clock: measures the time; a test gives its own and doesn't wait.
    public init(clock: any Clock<Duration>) {
        self.clock = clock
    }

    /// Takes its clock from the container.
    public init(container: Container, arguments: Void) throws {
        try self.init(clock: container.resolve())
    }

    deinit {
        ticking?.cancel()
    }

    /// Does nothing that makes no sense, such as stopping twice.
    public func handle(event: ViewEvent) {
        switch event {
        case .start: run()
        case .stop: stop()
        case .lap: lap()
        }
    }

    private func run() {
        guard !isRunning else { return }
        isRunning = true
        let run = Run(by: clock)
        elapsedSince = run.elapsed
        // Weakly: a stopwatch that nobody holds any more stops.
        ticking = Task { [weak self] in
            var last = 0
            while let tick = try? await run.tick(last) {
                last = tick
                guard let self else { return }
                await self.show()
            }
        }
    }

    private func stop() {
        guard isRunning else { return }
        ticking?.cancel()
        show()
        elapsedBefore += elapsedSince()
        elapsedSince = { .zero }
        isRunning = false
    }

    private func lap() {
        guard isRunning else { return }
        show()
        lapMilliseconds.append(elapsedMilliseconds)
    }

    private func show() {
        guard isRunning else { return }
        elapsedMilliseconds = Int((elapsedBefore + elapsedSince()) / .milliseconds(1))
    }
}
