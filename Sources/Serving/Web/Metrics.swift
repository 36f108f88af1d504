package import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// The page `/metrics`, in Prometheus' text format, version 0.0.4.
enum Metrics {
    static func text(of core: ServerCore) -> String {
        let counts = core.counts
        var text = ""
        add("view_model_server_info", "gauge", "Always 1; which server this is.", to: &text) {
            ["{name=\(quoted(core.name)),version=\(quoted(core.version))} 1"]
        }
        add("view_model_server_connections", "gauge", "Clients that are connected.", to: &text) {
            [" \(counts.connections)"]
        }
        add("view_model_server_connections_total", "counter", "Clients that have connected.", to: &text) {
            [" \(counts.allConnections)"]
        }
        let models = counts.models.sorted { $0.key < $1.key }
        add("view_model_server_sessions", "gauge", "Sessions that are hosted.", to: &text) {
            models.map { "{view_model=\(quoted($0.key))} \($0.value.sessions)" }
        }
        add("view_model_server_views", "gauge", "Views that are attached to sessions.", to: &text) {
            models.map { "{view_model=\(quoted($0.key))} \($0.value.views)" }
        }
        add("view_model_server_events_total", "counter", "Events of view models, each once.", to: &text) {
            models.map { "{view_model=\(quoted($0.key))} \($0.value.events)" }
        }
        addSends(counts, to: &text)
        addBounds(of: core, counts, to: &text)
        addPrinted(to: &text)
        if let watch = core.watch { addHolds(of: watch, core.isolation?.figures.sum ?? .init(), to: &text) }
        if let journal = core.sessions.journal {
            addStore(journal, to: &text)
            addShared(core.relays, counts, to: &text)
        }
        if let isolation = core.isolation { addProcesses(isolation.counts, to: &text) }
        add("view_model_server_kept_bytes", "gauge", "What all sessions keep for clients, in bytes.", to: &text) {
            [" \(counts.keptBytes)"]
        }
        add(
            "view_model_server_abandoned_bytes", "gauge", "What sessions that were left hold at most, in bytes.",
            to: &text
        ) {
            [" \(counts.abandonedBytes)"]
        }
        add(
            "view_model_server_sessions_given_way_total", "counter",
            "Sessions without views that ended since there was too much.", to: &text
        ) {
            [" \(counts.abandonedEnded)"]
        }
        addProcess(to: &text)
        return text
    }

    /// Adds the figures about what sessions send to each other.
    private static func addSends(_ counts: ServerCounts, to text: inout String) {
        let help = "Events that sessions have sent to shared ones and that wait for an answer."
        add("view_model_server_sends_waiting", "gauge", help, to: &text) { [" \(counts.waitingSends)"] }
        let longest = "How long the oldest of them has waited, in seconds."
        add("view_model_server_sends_waiting_seconds", "gauge", longest, to: &text) {
            [" \(counts.longestSend / .seconds(1))"]
        }
    }

    private static func addBounds(of core: ServerCore, _ counts: ServerCounts, to text: inout String) {
        add("view_model_server_unfinished_bytes", "gauge", "Input whose end hasn't come, in bytes.", to: &text) {
            [" \(core.inputBudget.bytes)"]
        }
        let help = "What was refused, ended or had to wait, by the limit."
        add("view_model_server_limits_exceeded_total", "counter", help, to: &text) {
            counts.exceeded.sorted { $0.key < $1.key }.map { "{limit=\(quoted($0.key))} \($0.value)" }
        }
        add("view_model_server_errors_total", "counter", "Errors that clients were answered.", to: &text) {
            ProtocolError.all.compactMap { error in
                counts.errors[error.code].map { "{error=\(quoted(error.name))} \($0)" }
            }
        }
        let lines = core.log.lineCounts
        add("view_model_server_log_lines_total", "counter", "Lines in the log.", to: &text) { [" \(lines.written)"] }
        add(
            "view_model_server_log_lines_left_out_total", "counter", "Lines about clients that were too many.",
            to: &text
        ) {
            [" \(lines.leftOut)"]
        }
    }

    private static func addHolds(of watch: HoldWatch, _ processes: ProcessCounts, to text: inout String) {
        add("view_model_server_held_threads", "gauge", "Threads that handlers hold for too long.", to: &text) {
            [" \(watch.heldWork.count + processes.heldWork.count)"]
        }
        add("view_model_server_pool_wait_seconds", "gauge", "How long Swift's own pool has begun no task.", to: &text) {
            [" \(watch.poolHeldTime / .seconds(1))"]
        }
        let help = "How often a loop went on in another thread, since a handler held its own."
        add("view_model_server_holds_total", "counter", help, to: &text) {
            [" \(processes.holds.addingUpToMaximum(watch.holdCount))"]
        }
    }

    private static func addStore(_ journal: any SessionJournal, to text: inout String) {
        let counts = journal.counts
        add("view_model_server_store_available", "gauge", "Whether the store works.", to: &text) {
            [" \(journal.failure == nil ? 1 : 0)"]
        }
        add("view_model_server_store_commits_total", "counter", "Transactions of the store.", to: &text) {
            [" \(counts.commits)"]
        }
        add(
            "view_model_server_store_commit_seconds", "summary", "How long a transaction of the store takes.",
            to: &text
        ) {
            ["_sum \(counts.commitTime / .seconds(1))", "_count \(counts.commits)"]
        }
        add("view_model_server_store_turns_total", "counter", "Turns of sessions in them.", to: &text) {
            [" \(counts.turns)"]
        }
        add("view_model_server_store_loads_total", "counter", "Sessions that were read.", to: &text) {
            [" \(counts.loads)"]
        }
        add("view_model_server_store_errors_total", "counter", "Calls of the store that failed.", to: &text) {
            [" \(counts.errors)"]
        }
    }

    /// Adds the figures about servers that share a store.
    private static func addShared(_ relays: RelayCounts, _ counts: ServerCounts, to text: inout String) {
        add("view_model_server_sessions_owned", "gauge", "Durable sessions that are in memory here.", to: &text) {
            [" \(counts.ownedSessions)"]
        }
        add("view_model_server_views_relayed", "gauge", "Views here of sessions on other servers.", to: &text) {
            [" \(relays.views)"]
        }
        add("view_model_server_views_relayed_total", "counter", "Such views, ever.", to: &text) {
            [" \(relays.allViews)"]
        }
        let help = "Sessions that went from one server to another where their views are."
        add("view_model_server_sessions_moved_total", "counter", help, to: &text) { [" \(relays.moved)"] }
    }

    private static func addProcesses(_ counts: Isolation.Counts, to text: inout String) {
        add("view_model_server_isolated_processes", "gauge", "Processes that serve a client each.", to: &text) {
            [" \(counts.running)"]
        }
        add("view_model_server_isolated_processes_started_total", "counter", "Such processes, ever.", to: &text) {
            [" \(counts.started)"]
        }
        let help = "Such processes that ended by themselves, with their sessions."
        add("view_model_server_isolated_processes_crashed_total", "counter", help, to: &text) {
            [" \(counts.crashed)"]
        }
        add("view_model_server_isolated_resident_bytes", "gauge", "Memory that they use together, in bytes.", to: &text)
        {
            [" \(counts.residentBytes)"]
        }
    }

    private static func addPrinted(to text: inout String) {
        let help = "Lines that were printed or logged and nobody read in time."
        add("view_model_server_printed_lines_left_out_total", "counter", help, to: &text) {
            [" \(PrintedOutput.linesLeftOut)"]
        }
    }

    private static func addProcess(to text: inout String) {
        let usage = ProcessUsage.now
        add("process_cpu_seconds_total", "counter", "Processor time, in seconds.", to: &text) {
            [" \(usage.processorSeconds)"]
        }
        add("process_resident_memory_bytes", "gauge", "Memory in use, in bytes.", to: &text) {
            [" \(usage.residentBytes)"]
        }
        let memory = ProcessMemory.now
        add("process_allocated_bytes", "gauge", "Memory that is allocated, in bytes.", to: &text) {
            [" \(memory.usedBytes)"]
        }
        add("process_unused_bytes", "gauge", "Memory that the allocator keeps for later, in bytes.", to: &text) {
            [" \(memory.unusedBytes)"]
        }
        add("process_open_fds", "gauge", "Descriptors that are open.", to: &text) { [" \(usage.descriptors)"] }
    }

    private static func add(
        _ name: String, _ type: String, _ help: String, to text: inout String, samples: () -> [String]
    ) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        for sample in samples() { text += "\(name)\(sample)\n" }
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
