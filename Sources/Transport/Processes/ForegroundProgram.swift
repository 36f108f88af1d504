import LibC

/// A program that has this process's terminal, such as an editor: its standard input and output are this process's, and
/// it is in the same process group.
///
/// The terminal's signals therefore go to both. Whoever starts the program ignores Ctrl-C meanwhile, and stops when the
/// program is stopped. A program belongs to its loop, which retains it until the program has ended.
package final class ForegroundProgram: Sendable {
    private let process: LoopBound<StartedProcess>
    private let loop: EventLoop

    /// Starts a program. Called on the loop only.
    ///
    /// - Parameters:
    ///   - command: a path or a name to look for in `PATH`, then the arguments.
    ///   - file: the last argument, which need not be UTF-8.
    ///   - didEnd: called once, on the loop, unless the loop ends first.
    /// - Throws: the reason why the program can't be started; the code is `ENOENT` when there is no program of that name.
    package init(
        _ command: [String], file: [UInt8], on loop: EventLoop, didEnd: @escaping (ChildProcess.Ending) -> Void
    ) throws(SystemError) {
        loop.preconditionIsCurrent()
        let name = command.first ?? ""
        let spawn = Spawn(path: name, arguments: command, lastArgument: file, leadsGroup: false)
        let id = try spawn.run(input: STDIN_FILENO)
        let process = try StartedProcess(id, name: name, on: loop, didEnd: didEnd)
        self.process = LoopBound(process, loop: loop)
        self.loop = loop
    }

    /// Sends a signal to the program. Does nothing once the program has ended. Any thread may call this.
    package func signal(_ number: Int32) {
        loop.execute { [process] in process.value.signal(number) }
    }
}
