import LibC
import Synchronization
import Transport

/// Reads standard input with blocking calls on a thread of its own: a non-blocking flag would be the shell's, too.
final class StandardInput: Sendable {
    private let inputs: ConsoleInputs
    private let thread: EventLoop
    /// Posted for each piece that may be read. A terminal's input is read without it.
    private let demand = Semaphore()
    private let waitsForDemand: Bool
    /// Held while a terminal is read.
    private let isPaused = Mutex(false)
    /// Posted when it is read again.
    private let continuation = Semaphore()

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

    /// Leaves the terminal to another program: nothing of it is read between this and `goOn()`.
    func pause() {
        isPaused.withLock { $0 = true }
    }

    func goOn() {
        isPaused.withLock { $0 = false }
        continuation.post()
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
            guard let count = waitsForDemand ? readNow(into: &buffer) : readUnlessPaused(into: &buffer) else {
                continue
            }
            if count >= 0 { return count }
            switch Int32(-count) {
            case EINTR: continue
            case EAGAIN: Self.awaitInput(milliseconds: -1)
            default: return 0
            }
        }
    }

    /// Returns the number of the error, negative, where there is one.
    private func readNow(into buffer: inout [UInt8]) -> Int {
        let count = LibC.read(STDIN_FILENO, &buffer, buffer.count)
        return count < 0 ? -Int(errno) : count
    }

    /// Waits for input, and takes it unless it is another program's by then. Nil where it is.
    private func readUnlessPaused(into buffer: inout [UInt8]) -> Int? {
        Self.awaitInput(milliseconds: -1)
        let (count, isPaused) = isPaused.withLock { isPaused -> (Int?, Bool) in
            // Another program may have taken it.
            guard !isPaused, Self.awaitInput(milliseconds: 0) else { return (nil, isPaused) }
            return (readNow(into: &buffer), false)
        }
        if isPaused { continuation.wait() }
        return count
    }

    /// Returns whether there is input, or its end.
    @discardableResult
    private static func awaitInput(milliseconds: Int32) -> Bool {
        var status = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&status, 1, milliseconds) != 0
    }
}
