import LibC
import Synchronization
import Transport

/// Reads standard input with blocking calls on a thread of its own, since a non-blocking flag would also be set for the shell.
final class StandardInput: Sendable {
    private let inputs: ConsoleInputs
    private let thread: EventLoop
    /// Posted for each piece that may be read. A terminal's input is read without waiting for this.
    private let demand = Semaphore()
    private let waitsForDemand: Bool
    /// Whether the terminal must not be read. Locked during each read.
    private let isPaused = Mutex(false)
    /// Posted when the terminal may be read again.
    private let continuation = Semaphore()

    init(_ inputs: ConsoleInputs, waitsForDemand: Bool) throws {
        self.inputs = inputs
        self.waitsForDemand = waitsForDemand
        thread = try EventLoop(name: "standard input")
    }

    /// Starts the thread. It ends with the process, as nothing wakes it from a `read`.
    func start() throws {
        try thread.start()
        thread.execute { [self] in read() }
    }

    /// Allows one more piece to be read.
    func readOn() {
        demand.post()
    }

    /// Leaves the terminal to another program: nothing is read from it until `goOn()`.
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

    /// Reads, and returns the number of bytes, or the negated `errno`.
    private func readNow(into buffer: inout [UInt8]) -> Int {
        let count = LibC.read(STDIN_FILENO, &buffer, buffer.count)
        return count < 0 ? -Int(errno) : count
    }

    /// Waits for input and reads it, unless reading is paused by then. Returns nil if nothing was read.
    private func readUnlessPaused(into buffer: inout [UInt8]) -> Int? {
        Self.awaitInput(milliseconds: -1)
        let (count, isPaused) = isPaused.withLock { isPaused -> (Int?, Bool) in
            // Another program may have read the input.
            guard !isPaused, Self.awaitInput(milliseconds: 0) else { return (nil, isPaused) }
            return (readNow(into: &buffer), false)
        }
        if isPaused { continuation.wait() }
        return count
    }

    /// Waits for input, or the end of input. Returns whether it has come.
    @discardableResult
    private static func awaitInput(milliseconds: Int32) -> Bool {
        var status = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&status, 1, milliseconds) != 0
    }
}
