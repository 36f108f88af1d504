import LibC
import Synchronization

/// Standard output and standard error of this process, passed on by a thread of their own.
///
/// Printed text goes to a pipe that is always read, so printing never waits for a reader that is slow or gone: a
/// terminal that is held, a parent that never reads. Lines that can't be written now are kept up to a bound; further
/// ones are left out, and counted. A process that crashes first writes the text that was printed before,
/// and a `CrashReport`.
package final class PrintedOutput: Sendable {
    /// The longest time that `close` waits for a reader.
    private static let closingTime = Duration.milliseconds(500)
    private static let leftOut = Atomic<Int>(0)

    /// Lines that were left out since the process began.
    package static var linesLeftOut: Int { leftOut.load(ordering: .relaxed) }

    /// Counts a line that never came to the pipe.
    package static func leaveOutLine() {
        leftOut.wrappingAdd(1, ordering: .relaxed)
    }

    private let crash: String
    private let wake: Descriptor
    /// The numbers that were diverted, and where each went before.
    private let diverted: [(number: Int32, real: Int32)]
    private let hasDrained = Semaphore()
    private let onCrash = Mutex<@Sendable (_ note: [UInt8], _ cause: String) -> Void>({ _, _ in })
    // The thread alone uses it, from its start on; `init` is over by then.
    nonisolated(unsafe) private let outputs: [Output]

    /// Diverts descriptors 1 and 2. Once in a process.
    ///
    /// - Parameters:
    ///   - maximumBytes: the bound on text that waits for the reader of each.
    ///   - crash: says in a crash report what ends by that: "the process ends, and every session with it".
    /// - Throws: when the process has no descriptors left, or no thread. Everything is printed directly then.
    package init(maximumBytes: Int, crash: String) throws(SystemError) {
        self.crash = crash
        wake = try Descriptor(eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), "eventfd")
        let groups = Self.isSame(1, 2) ? [[1, 2]] : [[2], [1]] as [[Int32]]
        outputs = try groups.map { numbers throws(SystemError) in try Output(numbers, maximumBytes) }
        diverted = outputs.flatMap { output in output.numbers.map { ($0, output.real.number) } }
        do throws(SystemError) {
            for output in outputs { try output.divert() }
            try start()
        } catch {
            restore()
            throw error
        }
        // Lines come when they are printed, and are not lost with the process, whatever 1 was before.
        Stdio.bufferOutputByLine()
        clinux_report_crashes(
            diverted.map(\.real), diverted.map(\.number), Int32(diverted.count), wake.number, CrashReport.note)
    }

    /// - Parameter action: called before the process ends by the crash of work that has a note (`JobSource.crashNote`), with what
    ///   became of the work, in words. Not on the thread that crashed, whose locks are never given back.
    package func whenCrashing(_ action: @escaping @Sendable (_ note: [UInt8], _ cause: String) -> Void) {
        onCrash.withLock { $0 = action }
    }

    private func restore() {
        for (number, real) in diverted { dup2(real, number) }
    }

    private static func isSame(_ left: Int32, _ right: Int32) -> Bool {
        var (leftStatus, rightStatus) = (stat(), stat())
        guard fstat(left, &leftStatus) == 0, fstat(right, &rightStatus) == 0 else { return false }
        return leftStatus.st_dev == rightStatus.st_dev && leftStatus.st_ino == rightStatus.st_ino
    }

    /// Lets everything be printed directly again, and waits until what was printed before is written, for half a second
    /// at most. Once; the process ends after it.
    package func close() {
        fflush(nil)
        restore()
        var one: UInt64 = 1
        _ = LibC.write(wake.number, &one, MemoryLayout.size(ofValue: one))
        hasDrained.wait(atMost: Self.closingTime)
    }
}

// The thread.
extension PrintedOutput {
    private func start() throws(SystemError) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
            guard let context else { return nil }
            clinux_name_thread("printed")
            Unmanaged<PrintedOutput>.fromOpaque(context).takeRetainedValue().run()
            return nil
        }
        let code = pthread_create(&thread, nil, main, context)
        guard code == 0 else {
            Unmanaged<PrintedOutput>.fromOpaque(context).release()
            throw SystemError(code: code, call: "pthread_create", subject: "printed")
        }
        pthread_detach(thread)
    }

    private func run() {
        while !waitAndPass() {}
        drain()
        if let crash = clinux_wait_for_crash() {
            let report = CrashReport(crash.pointee, end: self.crash)
            outputs.first { $0.numbers.contains(2) }?.append(report.text)
            drain()
            if let note = report.note { onCrash.withLock { $0 }(note, report.cause) }
            clinux_did_report_crash()
        }
        hasDrained.post()
    }

    /// The pipes have their last bytes. A reader that takes nothing for a while takes nothing any more.
    private func drain() {
        var isWaiting = true
        while isWaiting {
            isWaiting = false
            for output in outputs {
                output.read()
                output.write()
                if output.isWaiting, output.waitForReader(Self.closingTime) { isWaiting = true }
            }
        }
    }

    /// - Returns: whether the process ends.
    private func waitAndPass() -> Bool {
        var slots = [pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0)]
        for output in outputs {
            slots.append(pollfd(fd: output.printed.number, events: Int16(POLLIN), revents: 0))
            slots.append(pollfd(fd: output.isWaiting ? output.real.number : -1, events: Int16(POLLOUT), revents: 0))
        }
        guard poll(&slots, nfds_t(slots.count), -1) > 0 else { return false }
        for (index, output) in outputs.enumerated() {
            if slots[1 + 2 * index].revents != 0 { output.read() }
            output.write()
        }
        return slots[0].revents != 0
    }

    /// One destination and the text that waits for it. Confined to the thread.
    private final class Output {
        /// The numbers that programs know it by: 1, 2 or both.
        let numbers: [Int32]
        let real: Descriptor
        let printed: Descriptor
        private var writing: Descriptor?
        private let channel: Channel
        private var waiting: WaitingLines
        /// Nobody will read any more.
        private var isBroken = false

        /// Makes the pipe for these descriptors.
        init(_ numbers: [Int32], _ maximumBytes: Int) throws(SystemError) {
            let pipe = try Pipe()
            // Away from the numbers that other code uses.
            let kept = try Descriptor(fcntl(numbers[0], F_DUPFD_CLOEXEC, Stdio.lowestMoved), "fcntl", "F_DUPFD_CLOEXEC")
            real = try Stdio.unblocked(kept, mode: O_WRONLY)
            channel = Channel(real)
            // Those who print wait for the thread, and get no error.
            let flags = fcntl(pipe.writing.number, F_GETFL)
            guard flags >= 0, fcntl(pipe.writing.number, F_SETFL, flags & ~O_NONBLOCK) == 0 else {
                throw SystemError.last("fcntl", "F_SETFL")
            }
            printed = pipe.reading
            writing = .some(pipe.writing)
            self.numbers = numbers
            waiting = WaitingLines(maximumBytes: maximumBytes)
        }

        /// Puts the pipe in the place of the descriptors, which alone hold its end from then on. Once.
        func divert() throws(SystemError) {
            guard let writing = writing.take() else { return }
            for number in numbers {
                guard dup2(writing.number, number) >= 0 else { throw SystemError.last("dup2") }
            }
        }

        /// Adds text of our own.
        func append(_ text: String) {
            var text = text
            text.withUTF8 { _ = waiting.append(UnsafeRawBufferPointer($0)) }
        }

        var isWaiting: Bool { !waiting.bytes.isEmpty && !isBroken }

        /// Takes what was printed, as far as one pipe holds.
        func read() {
            withUnsafeTemporaryAllocation(byteCount: LoopCore.scratchBytes, alignment: 16) { buffer in
                var left = StreamLimits.readBytesPerTurn
                while left > 0 {
                    let count = LibC.read(printed.number, buffer.baseAddress, buffer.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { return }
                    left -= count
                    let lines = waiting.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    PrintedOutput.leftOut.wrappingAdd(lines, ordering: .relaxed)
                }
            }
        }

        /// Writes what the reader takes without waiting.
        func write() {
            waiting.noteMissingIfEmpty()
            while isWaiting {
                switch waiting.bytes.withUnsafeBytes({ channel.write($0) }) {
                case .bytes(let count): waiting.drop(count)
                case .wouldBlock: return
                case .failed: isBroken = true
                }
            }
        }

        func waitForReader(_ time: Duration) -> Bool {
            var slot = pollfd(fd: real.number, events: Int16(POLLOUT), revents: 0)
            return poll(&slot, 1, time.clampedMilliseconds) > 0
        }
    }
}
