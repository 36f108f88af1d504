import Synchronization

/// Figures of your own, beside those of a server: what its page `/metrics` shows, and `ViewModelService.metrics` returns.
///
/// ```swift
/// private let loaded = Metrics.counter("shop_orders_loaded_total", "Orders that were loaded.")
/// private let carts = Metrics.gauge("shop_carts_open", "Carts that aren't paid.")
/// private let payment = Metrics.timer("shop_payment_seconds", "How long a payment takes, in seconds.")
/// ```
///
/// A figure belongs to the process: whoever asks for a name gets the same one, as all sessions of a view model do. A name has
/// letters, digits, `_` and `:`, and begins with none of the digits; `view_model_server_` and `process_` are the server's. A
/// name that can't be, or that is that of another kind of figure, stops the program. Any thread may count.
public enum Metrics {
    /// A number that only grows.
    public final class Counter: Sendable {
        private let count = Atomic<Int>(0)

        /// The number so far.
        public var value: Int { count.load(ordering: .relaxed) }

        /// Adds to the number; what is negative adds nothing. At the greatest number it stays.
        public func add(_ count: Int = 1) {
            guard count > 0 else { return }
            var old = value
            while true {
                let (sum, overflows) = old.addingReportingOverflow(count)
                let (isDone, now) = self.count.compareExchange(
                    expected: old, desired: overflows ? .max : sum, ordering: .relaxed)
                if isDone { return }
                old = now
            }
        }
    }

    /// A number that grows and shrinks.
    public final class Gauge: Sendable {
        private let number = Mutex<Double>(0)

        /// The number now.
        public var value: Double { number.withLock { $0 } }

        /// Sets the number.
        public func set(_ value: Double) { number.withLock { $0 = value } }
        /// Adds to the number, or takes away from it.
        public func add(_ difference: Double = 1) { number.withLock { $0 += difference } }
    }

    /// How often something was done, and how long that took in all.
    public final class Timer: Sendable {
        private let state = Mutex<(count: Int, total: Duration)>((0, .zero))

        /// How often it was done, and how long that took in all.
        public var value: (count: Int, total: Duration) { state.withLock { $0 } }

        /// Notes that it was done.
        ///
        /// - Parameter duration: how long that took; what is negative counts as nothing.
        public func record(_ duration: Duration) {
            state.withLock { state in
                state.count += state.count < .max ? 1 : 0
                state.total += max(duration, .zero)
            }
        }

        /// Calls `body`, and notes how long it took, whether or not it has thrown.
        public nonisolated(nonsending) func measure<Result, Failure: Error>(
            _ body: nonisolated(nonsending) () async throws(Failure) -> Result
        ) async throws(Failure) -> Result {
            let start = ContinuousClock.now
            defer { record(start.duration(to: .now)) }
            return try await body()
        }
    }

    private enum Figure {
        case counter(Counter)
        case gauge(Gauge)
        case timer(Timer)
    }

    private static let known = Mutex<[String: (help: String, figure: Figure)]>([:])

    /// Returns the counter of a name.
    ///
    /// - Parameters:
    ///   - name: ends in `_total`, as Prometheus has it.
    ///   - help: a sentence about what is counted.
    public static func counter(_ name: String, _ help: String) -> Counter {
        let figure = figure(name, help) { .counter(Counter()) }
        guard case .counter(let counter) = figure else { preconditionFailure("\(name) isn't a counter") }
        return counter
    }

    /// Returns the gauge of a name.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - help: a sentence about the number, with its unit.
    public static func gauge(_ name: String, _ help: String) -> Gauge {
        let figure = figure(name, help) { .gauge(Gauge()) }
        guard case .gauge(let gauge) = figure else { preconditionFailure("\(name) isn't a gauge") }
        return gauge
    }

    /// Returns the timer of a name, whose figures are `NAME_sum`, in seconds, and `NAME_count`.
    ///
    /// - Parameters:
    ///   - name: ends in `_seconds`, as Prometheus has it.
    ///   - help: a sentence about what is measured.
    public static func timer(_ name: String, _ help: String) -> Timer {
        let figure = figure(name, help) { .timer(Timer()) }
        guard case .timer(let timer) = figure else { preconditionFailure("\(name) isn't a timer") }
        return timer
    }

    private static func figure(_ name: String, _ help: String, _ make: () -> Figure) -> Figure {
        precondition(isName(name), "'\(name)' can't be the name of a figure of your own")
        return known.withLock { known in
            if let (_, figure) = known[name] { return figure }
            let figure = make()
            known[name] = (help, figure)
            return figure
        }
    }

    static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        guard !name.hasPrefix("view_model_server_"), !name.hasPrefix("process_") else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
    }

    /// All figures of one's own, by name.
    package static var all: [Metric] {
        known.withLock { $0 }.sorted { $0.key < $1.key }.map { name, known in
            switch known.figure {
            case .counter(let counter): Metric(name, .counter, known.help, [.init(Double(counter.value))])
            case .gauge(let gauge): Metric(name, .gauge, known.help, [.init(gauge.value)])
            case .timer(let timer): Metric(name, .summary, known.help, timer: timer.value)
            }
        }
    }
}

/// A figure with its values, as Prometheus has them.
public struct Metric: Sendable, Hashable {
    /// What can become of a figure.
    public enum Kind: String, Sendable {
        /// It only grows.
        case counter
        /// It grows and shrinks.
        case gauge
        /// A sum and a count, which only grow.
        case summary
    }

    /// One value of a figure.
    public struct Sample: Sendable, Hashable {
        /// What is behind the figure's name: `_sum` or `_count` of a summary, and nothing of others.
        public let suffix: String
        /// What the value is about, as `["view_model": "orders"]`.
        public let labels: [String: String]
        /// The value. Times are in seconds.
        public let value: Double

        package init(_ value: Double, _ labels: [String: String] = [:], suffix: String = "") {
            self.suffix = suffix
            self.labels = labels
            self.value = value
        }
    }

    /// The name, as `view_model_server_sessions`.
    public let name: String
    /// What can become of it.
    public let kind: Kind
    /// A sentence about it.
    public let help: String
    /// Its values, one for each set of labels that there is.
    public let samples: [Sample]

    package init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// Makes the metric of what was done so often, and took so long in all.
    package init(_ name: String, _ kind: Kind, _ help: String, timer: (count: Int, total: Duration)) {
        let samples = [
            Sample(timer.total / .seconds(1), suffix: "_sum"), Sample(Double(timer.count), suffix: "_count"),
        ]
        self.init(name, kind, help, samples)
    }
}
