import LibC
import Transport

/// Reads standard input with blocking calls on a thread of its own: a non-blocking flag would be the shell's, too.
final class StandardInput: Sendable {
    private let inputs: ConsoleInputs
    private let thread: EventLoop
    /// Posted for each piece that may be read. A terminal's input is read without it.
    private let demand = Semaphore()
    private let waitsForDemand: Bool

    init(_ inputs: ConsoleInputs, waitsForDemand: Bool) throws {
        self.inputs = inputs
        self.waitsForDemand = waitsForDemand
        thread = try EventLoop(name: "standard input")
    }

    /// Starts the thread, which ends with the process: nothing wakes it from a `read`.
    func start() throws {
        try thread.start()
        thread.execute { [self] in read() }
    }

    /// Lets one more piece be read.
    func readOn() {
        demand.post()
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if waitsForDemand { demand.wait() }
            let count = nextBytes(into: &buffer)
            guard count > 0 else { return inputs.post(.endOfInput) }
            inputs.post(.bytes(Array(buffer[..<count])))
        }
    }

    private func nextBytes(into buffer: inout [UInt8]) -> Int {
        while true {
            let count = LibC.read(STDIN_FILENO, &buffer, buffer.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var status = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                poll(&status, 1, -1)
            default: return 0
            }
        }
    }
}
