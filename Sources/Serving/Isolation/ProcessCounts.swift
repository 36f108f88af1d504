import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// The figures of a process that serves one client. The process reports them to the server, which adds them to its own.
struct ProcessCounts: Codable, Equatable, Sendable {
    struct HeldWork: Codable, Equatable, Sendable {
        /// The names of the view model and its handler, as in `finder.query`.
        var name: String
        var milliseconds: Int
    }

    // Values that only rise.

    /// The counts of each view model, by its registered name. Only `events` never falls.
    var models: [String: ServerCounts.Model] = [:]
    /// How often each limit was exceeded, by its name.
    var exceeded: [String: Int] = [:]
    /// The number of errors that clients were answered with, by their names.
    var errors: [String: Int] = [:]
    var abandonedEnded = 0
    var holds = 0

    // Values of this moment.

    var keptBytes = 0
    var abandonedBytes = 0
    var heldWork: [HeldWork] = []
}

extension ProcessCounts {
    /// Takes the figures of this process.
    init(of core: ServerCore) {
        let counts = core.counts
        models = counts.models
        exceeded = counts.exceeded
        for error in ProtocolError.all { errors[error.name] = counts.errors[error.code] }
        abandonedEnded = counts.abandonedEnded
        keptBytes = counts.keptBytes
        abandonedBytes = counts.abandonedBytes
        guard let watch = core.watch else { return }
        holds = watch.holdCount
        heldWork = watch.heldWork.prefix(Self.maximumHeldWork).map {
            HeldWork(name: $0.name, milliseconds: Int($0.duration / .milliseconds(1)))
        }
    }

    private static let maximumHeldWork = 16
    private static let maximumNameBytes = 128

    /// Reads a report; nil where the text isn't one. The process isn't trusted: names that the server doesn't know are left
    /// out, so that their number is bounded, and no value is below 0.
    init?(_ report: UnsafeRawBufferPointer, _ registry: Registry) {
        guard let text = try? JSONText(validating: report),
            var counts = text.withValue({ try? ValueDecoder().decode(ProcessCounts.self, from: $0) })
        else { return nil }
        counts.models = counts.models.filter { registry.types(of: $0.key) != nil }.mapValues(\.notNegative)
        let limits = Set(Limits.names)
        counts.exceeded = counts.exceeded.filter { limits.contains($0.key) }.mapValues { max(0, $0) }
        let errors = Set(ProtocolError.all.map(\.name))
        counts.errors = counts.errors.filter { errors.contains($0.key) }.mapValues { max(0, $0) }
        counts.abandonedEnded = max(0, counts.abandonedEnded)
        counts.holds = max(0, counts.holds)
        counts.keptBytes = max(0, counts.keptBytes)
        counts.abandonedBytes = max(0, counts.abandonedBytes)
        counts.heldWork = counts.heldWork.prefix(Self.maximumHeldWork).map { work in
            let name = "\(VisibleText(work.name, maximumBytes: Self.maximumNameBytes))"
            return HeldWork(name: name, milliseconds: max(0, work.milliseconds))
        }
        self = counts
    }

    /// The counters alone, which stay in the server's sums once the process has ended.
    var lasting: ProcessCounts {
        var counts = self
        counts.models = models.mapValues { ServerCounts.Model(events: $0.events) }
        counts.keptBytes = 0
        counts.abandonedBytes = 0
        counts.heldWork = []
        return counts
    }

    /// Returns these figures with each counter raised to its value in `before`, so that a process can't make the server's
    /// counters fall.
    func notBelow(_ before: ProcessCounts) -> ProcessCounts {
        var counts = self
        for (name, model) in before.models {
            counts.models[name, default: .init()].events = max(model.events, models[name]?.events ?? 0)
        }
        counts.exceeded.merge(before.exceeded, uniquingKeysWith: max)
        counts.errors.merge(before.errors, uniquingKeysWith: max)
        counts.abandonedEnded = max(abandonedEnded, before.abandonedEnded)
        counts.holds = max(holds, before.holds)
        return counts
    }

    mutating func add(_ other: ProcessCounts) {
        models.merge(other.models) { $0.adding($1) }
        exceeded.merge(other.exceeded) { $0.addingUpToMaximum($1) }
        errors.merge(other.errors) { $0.addingUpToMaximum($1) }
        abandonedEnded = abandonedEnded.addingUpToMaximum(other.abandonedEnded)
        holds = holds.addingUpToMaximum(other.holds)
        keptBytes = keptBytes.addingUpToMaximum(other.keptBytes)
        abandonedBytes = abandonedBytes.addingUpToMaximum(other.abandonedBytes)
        heldWork += other.heldWork
    }

    /// Adds these figures to the server's own counts.
    func add(to counts: inout ServerCounts) {
        counts.models.merge(models) { $0.adding($1) }
        counts.exceeded.merge(exceeded) { $0.addingUpToMaximum($1) }
        for error in ProtocolError.all {
            guard let count = errors[error.name] else { continue }
            counts.errors[error.code] = count.addingUpToMaximum(counts.errors[error.code] ?? 0)
        }
        counts.abandonedEnded = counts.abandonedEnded.addingUpToMaximum(abandonedEnded)
        counts.keptBytes = counts.keptBytes.addingUpToMaximum(keptBytes)
        counts.abandonedBytes = counts.abandonedBytes.addingUpToMaximum(abandonedBytes)
    }
}

extension ServerCounts.Model {
    fileprivate var notNegative: Self {
        Self(sessions: max(0, sessions), views: max(0, views), events: max(0, events))
    }

    fileprivate func adding(_ other: Self) -> Self {
        Self(
            sessions: sessions.addingUpToMaximum(other.sessions), views: views.addingUpToMaximum(other.views),
            events: events.addingUpToMaximum(other.events))
    }
}

extension Int {
    /// Returns the sum, or `Int.max` on overflow, as a process may report any number. Both numbers must be 0 or more.
    func addingUpToMaximum(_ other: Int) -> Int {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }
}

/// The last reported figures of each running process, and the sums of those that have ended.
struct ProcessFigures {
    private var ended = ProcessCounts()
    /// Reports of the running processes, by process ID. The system may give an ID to another process later.
    private var running: [Int32: ProcessCounts] = [:]

    mutating func take(_ counts: ProcessCounts, of process: Int32) {
        running[process] = counts.notBelow(running[process] ?? .init())
    }

    /// Moves the counters of a process that has ended to the sums, so that no counter of the server falls.
    mutating func didEnd(_ process: Int32) {
        guard let counts = running.removeValue(forKey: process) else { return }
        ended.add(counts.lasting)
    }

    var sum: ProcessCounts { running.values.reduce(into: ended) { $0.add($1) } }

    /// The work that holds a thread now, with its process ID, in the order of the IDs.
    var heldWork: [(process: Int32, work: ProcessCounts.HeldWork)] {
        running.sorted { $0.key < $1.key }.flatMap { (process, counts) in counts.heldWork.map { (process, $0) } }
    }
}
