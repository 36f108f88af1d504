import FoundationEssentials
import Glibc
import Testing

/// A server with `--isolate`.
extension Program {
    /// The processes of clients, by their names as they are in the arguments.
    func processesOfClients() throws -> [String: ProcessHandle] {
        var processes: [String: ProcessHandle] = [:]
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.id)/task") {
            let path = "/proc/\(process.id)/task/\(thread)/children"
            // A thread may have ended meanwhile.
            let children = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            for id in children.split(separator: " ").compactMap({ pid_t($0) }) {
                let line = try String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8)
                let name = line.split(separator: "\0").dropFirst().first ?? ""
                processes[String(name.dropFirst("--isolated=".count))] = try ProcessHandle(id)
            }
        }
        return processes
    }

    /// - Parameter name: the client's.
    func crash(_ name: String, by signal: Int32 = SIGKILL) throws {
        let process = try #require(try processesOfClients()["\"\(name)\""])
        try check(kill(process.id, signal), "kill")
    }

    func finishOrderly() throws -> Ending {
        try signal(SIGTERM)
        return try end()
    }

    func readErrorLines(until isWanted: (String) -> Bool) throws {
        while let line = try errorLine() { if isWanted(line) { return } }
        throw Late(description: "standard error ended before the line")
    }
}
