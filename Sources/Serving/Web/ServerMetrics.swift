package import JSONRPC
import Sessions
import Transport
import ViewModelProtocol
package import ViewModels

/// The figures of a server, and the page `/metrics`, which shows them in Prometheus' text format, version 0.0.4.
package enum ServerMetrics {
    /// Returns all figures of a server, and behind them those that the program has of its own.
    package static func all(of core: ServerCore) -> [Metric] {
        let counts = core.counts
        let processes = core.isolation?.figures.sum ?? .init()
        return ofClients(core, counts) + ofSends(counts) + ofBounds(core, counts)
            + [
                counter(
                    "printed_lines_left_out_total", "Lines that were printed or logged and nobody read in time.",
                    PrintedOutput.linesLeftOut)
            ]
            + (core.watch.map { ofHolds($0, processes) } ?? [])
            + (core.sessions.journal.map { ofStore($0) + ofShared(core.relays, counts) } ?? [])
            + (core.isolation.map { ofProcesses($0.counts) } ?? []) + ofMemory(counts) + ofProcess + Metrics.all
    }

    private static func ofClients(_ core: ServerCore, _ counts: ServerCounts) -> [Metric] {
        let models = counts.models.sorted { $0.key < $1.key }
        func each(_ value: (ServerCounts.Model) -> Int) -> [Metric.Sample] {
            models.map { Metric.Sample(Double(value($0.value)), ["view_model": $0.key]) }
        }
        return [
            own(
                "info", .gauge, "Always 1; which server this is.",
                [.init(1, ["name": core.name, "version": core.version])]),
            gauge("connections", "Clients that are connected.", counts.connections),
            counter("connections_total", "Clients that have connected.", counts.allConnections),
            own("sessions", .gauge, "Sessions that are hosted.", each(\.sessions)),
            own("views", .gauge, "Views that are attached to sessions.", each(\.views)),
            own("events_total", .counter, "Events of view models, each once.", each(\.events)),
        ]
    }

    /// The figures about what sessions send to each other.
    private static func ofSends(_ counts: ServerCounts) -> [Metric] {
        [
            gauge(
                "sends_waiting", "Events that sessions have sent to shared ones and that wait for an answer.",
                counts.waitingSends),
            gauge(
                "sends_waiting_seconds", "How long the oldest of them has waited, in seconds.", counts.longestSend),
        ]
    }

    private static func ofBounds(_ core: ServerCore, _ counts: ServerCounts) -> [Metric] {
        let lines = core.log.lineCounts
        return [
            gauge("unfinished_bytes", "Input whose end hasn't come, in bytes.", core.inputBudget.bytes),
            own(
                "limits_exceeded_total", .counter, "What was refused, ended or had to wait, by the limit.",
                counts.exceeded.sorted { $0.key < $1.key }.map { .init(Double($0.value), ["limit": $0.key]) }),
            own(
                "errors_total", .counter, "Errors that clients were answered.",
                ProtocolError.all.compactMap { error in
                    counts.errors[error.code].map { .init(Double($0), ["error": error.name]) }
                }),
            counter("log_lines_total", "Lines in the log.", lines.written),
            counter("log_lines_left_out_total", "Lines about clients that were too many.", lines.leftOut),
        ]
    }

    private static func ofHolds(_ watch: HoldWatch, _ processes: ProcessCounts) -> [Metric] {
        [
            gauge(
                "held_threads", "Threads that handlers hold for too long.",
                watch.heldWork.count + processes.heldWork.count),
            gauge("pool_wait_seconds", "How long Swift's own pool has begun no task.", watch.poolHeldTime),
            counter(
                "holds_total", "How often a loop went on in another thread, since a handler held its own.",
                processes.holds.addingUpToMaximum(watch.holdCount)),
        ]
    }

    private static func ofStore(_ journal: any SessionJournal) -> [Metric] {
        let counts = journal.counts
        return [
            gauge("store_available", "Whether the store works.", journal.failure == nil ? 1 : 0),
            counter("store_commits_total", "Transactions of the store.", counts.commits),
            Metric(
                "view_model_server_store_commit_seconds", .summary, "How long a transaction of the store takes.",
                timer: (counts.commits, counts.commitTime)),
            counter("store_turns_total", "Turns of sessions in them.", counts.turns),
            counter("store_loads_total", "Sessions that were read.", counts.loads),
            counter("store_errors_total", "Calls of the store that failed.", counts.errors),
        ]
    }

    /// The figures about servers that share a store.
    private static func ofShared(_ relays: RelayCounts, _ counts: ServerCounts) -> [Metric] {
        [
            gauge("sessions_owned", "Durable sessions that are in memory here.", counts.ownedSessions),
            gauge("views_relayed", "Views here of sessions on other servers.", relays.views),
            counter("views_relayed_total", "Such views, ever.", relays.allViews),
            counter(
                "sessions_moved_total", "Sessions that went from one server to another where their views are.",
                relays.moved),
        ]
    }

    private static func ofProcesses(_ counts: Isolation.Counts) -> [Metric] {
        [
            gauge("isolated_processes", "Processes that serve a client each.", counts.running),
            counter("isolated_processes_started_total", "Such processes, ever.", counts.started),
            counter(
                "isolated_processes_crashed_total", "Such processes that ended by themselves, with their sessions.",
                counts.crashed),
            gauge("isolated_resident_bytes", "Memory that they use together, in bytes.", counts.residentBytes),
        ]
    }

    private static func ofMemory(_ counts: ServerCounts) -> [Metric] {
        [
            gauge("kept_bytes", "What all sessions keep for clients, in bytes.", counts.keptBytes),
            gauge("abandoned_bytes", "What sessions that were left hold at most, in bytes.", counts.abandonedBytes),
            counter(
                "sessions_given_way_total", "Sessions without views that ended since there was too much.",
                counts.abandonedEnded),
        ]
    }

    private static var ofProcess: [Metric] {
        let (usage, memory) = (ProcessUsage.now, ProcessMemory.now)
        return [
            Metric(
                "process_cpu_seconds_total", .counter, "Processor time, in seconds.", [.init(usage.processorSeconds)]),
            Metric(
                "process_resident_memory_bytes", .gauge, "Memory in use, in bytes.",
                [.init(Double(usage.residentBytes))]),
            Metric(
                "process_allocated_bytes", .gauge, "Memory that is allocated, in bytes.",
                [.init(Double(memory.usedBytes))]),
            Metric(
                "process_unused_bytes", .gauge, "Memory that the allocator keeps for later, in bytes.",
                [.init(Double(memory.unusedBytes))]),
            Metric("process_open_fds", .gauge, "Descriptors that are open.", [.init(Double(usage.descriptors))]),
        ]
    }

    private static func own(
        _ name: String, _ kind: Metric.Kind, _ help: String, _ samples: [Metric.Sample]
    ) -> Metric {
        Metric("view_model_server_\(name)", kind, help, samples)
    }

    private static func gauge(_ name: String, _ help: String, _ value: Int) -> Metric {
        own(name, .gauge, help, [.init(Double(value))])
    }

    private static func gauge(_ name: String, _ help: String, _ value: Duration) -> Metric {
        own(name, .gauge, help, [.init(value / .seconds(1))])
    }

    private static func counter(_ name: String, _ help: String, _ value: Int) -> Metric {
        own(name, .counter, help, [.init(Double(value))])
    }
}

// The page.
extension ServerMetrics {
    static func text(of core: ServerCore) -> String {
        var text = ""
        for metric in all(of: core) {
            // A line break would end the comment.
            let help = metric.help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
            text += "# HELP \(metric.name) \(help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for sample in metric.samples {
                let labels = sample.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\(quoted($0.value))" }
                let braces = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
                text += "\(metric.name)\(sample.suffix)\(braces) \(number(sample.value))\n"
            }
        }
        return text
    }

    /// A whole number is written as one.
    private static func number(_ value: Double) -> String {
        if let whole = Int(exactly: value) { return "\(whole)" }
        if value.isNaN { return "NaN" }
        return value.isInfinite ? (value > 0 ? "+Inf" : "-Inf") : "\(value)"
    }

    private static func quoted(_ label: String) -> String {
        var text = "\""
        for character in label {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
        return "\(text)\""
    }
}

/// The numbers of a server's sessions, views, events, connections and errors.
package struct ServerCounts {
    /// The figures of one view model.
    package struct Model: Codable, Equatable, Sendable {
        package internal(set) var sessions = 0
        var views = 0
        /// The number of events of all its sessions, including those that have ended.
        package var events = 0

        mutating func add(events: Int, views: Int) {
            sessions += 1
            self.views += views
            self.events += events
        }
    }

    /// The number of open connections.
    package internal(set) var connections: Int
    /// The number of connections that were ever opened.
    package internal(set) var allConnections: Int
    /// The figures of each view model, by its name.
    package internal(set) var models: [String: Model] = [:]
    /// How often each limit was exceeded, by the names of limits.
    package internal(set) var exceeded: [String: Int] = [:]
    /// The number of errors that clients were answered with, by code.
    package internal(set) var errors: [ErrorCode: Int] = [:]
    /// The number of durable sessions in memory.
    var ownedSessions = 0
    /// The number of events that sessions have sent to shared ones and that aren't answered.
    package private(set) var waitingSends = 0
    /// How long the oldest of them has waited.
    private(set) var longestSend = Duration.zero

    mutating func add(waiting: (count: Int, longest: Duration)) {
        waitingSends += waiting.count
        longestSend = max(longestSend, waiting.longest)
    }

    /// The number of sessions without views that ended because there was too much.
    package internal(set) var abandonedEnded = 0
    /// The bytes that all sessions keep for clients.
    package internal(set) var keptBytes = 0
    /// The bytes that sessions without views hold.
    package internal(set) var abandonedBytes = 0
}
