import Testing

/// A session of a shell as a document shows it: a line "$ COMMAND", lines "> …" that go on with the command, and the lines
/// that it prints.
struct TypedSession {
    private struct Command {
        var text: String
        var output: [String] = []
    }

    private let block: Document.Block
    private var commands: [Command] = []

    init(_ block: Document.Block) throws {
        self.block = block
        for line in block.lines {
            if line.hasPrefix("$ ") {
                commands.append(Command(text: String(line.dropFirst(2))))
            } else {
                try #require(!commands.isEmpty, "\(block.place) begins with a command")
                let last = commands.count - 1
                if line.hasPrefix("> "), commands[last].output.isEmpty {
                    commands[last].text += "\n" + line.dropFirst(2)
                } else {
                    commands[last].output.append(line)
                }
            }
        }
    }

    /// Each command prints what is shown, with standard error; nothing else is expected of its status.
    func run(in folder: PageFolder) throws {
        let end = "end of a command"
        let script = commands.map { "\($0.text)\nstatus=$?; echo '\(end)'; (exit $status)\n" }.joined()
        let lines = try folder.bash("exec 2>&1\n\(script)").lines
        let outputs = lines.split(separator: end, omittingEmptySubsequences: false).map(Array.init)
        try #require(outputs.count == commands.count + 1, "\(block.place): \(lines)")
        for (command, output) in zip(commands, outputs) {
            let isShown = try folder.withActualPort(command.output)
            #expect(
                Pattern(lines: isShown).matches(output),
                "\(block.place): \(command.text) printed\n\(output.joined(separator: "\n"))")
        }
    }
}
