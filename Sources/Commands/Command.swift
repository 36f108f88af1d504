/// A command of the executable, named by its first argument. Without a command, the executable serves.
struct Command: Sendable {
    let name: String
    /// A line about the command for the list of commands.
    let summary: String
    /// The text of `--help`.
    let help: @Sendable (Application) -> String
    /// Runs the command and returns the exit status.
    let run: @Sendable (Application, _ arguments: [String]) async throws -> Int32

    static let all: [Command] = [
        Dev.command, Connect.command, New.command, Record.command, Replay.command, Mock.command,
        Conform.command, StoredSessionsCommand.command, ContractWriter.command, Help.command,
    ]

    /// The list of commands for a help text, one line each.
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

/// Exit statuses beside 0 and 1, with the names of sysexits.h.
enum ExitStatus {
    static let usage: Int32 = 64
    static let unavailable: Int32 = 69
    static let cantCreate: Int32 = 73
    static let inputOutput: Int32 = 74

    // As in shells: a program can't be started.
    static let cantExecute: Int32 = 126
    static let notFound: Int32 = 127
}
