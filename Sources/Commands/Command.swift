/// One thing that the executable does when its first argument names it. Without any it serves.
struct Command: Sendable {
    let name: String
    /// A line for the list of commands.
    let summary: String
    /// What `--help` after the command's name prints.
    let help: @Sendable (_ executable: String) -> String
    /// Returns the status that the process ends with.
    let run: @Sendable (Application, _ arguments: [String]) async throws -> Int32

    static let all: [Command] = [
        Connect.command, New.command, Record.command, Replay.command, Mock.command, ContractWriter.command,
    ]

    /// For people, a line each.
    static var list: String {
        let width = all.map(\.name.count).max() ?? 0
        let lines = all.map { command in
            "  \(command.name)\(String(repeating: " ", count: width - command.name.count + 2))\(command.summary)"
        }
        return lines.joined(separator: "\n")
    }

    static func named(_ name: String) -> Command? {
        all.first { $0.name == name }
    }
}
