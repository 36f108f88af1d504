import LibC
import Synchronization

/// Passes on what this process prints to standard output and standard error, in a thread of its own.
///
/// Printed text goes to a pipe that is always read, so printing never waits for a reader that is slow or gone: a
/// terminal that is held, a parent that never reads. Lines that can't be written now are kept up to a bound; further
/// ones are left out, and counted. A process that crashes first writes the text that was printed before,
/// and a `CrashReport`.
package final class PrintedOutput: Sendable {
    /// The longest time that `close` waits for a reader.
    private static let closingTime = Duration.milliseconds(500)
    private static let leftOut = Atomic<Int>(0)

    /// The number of lines that were left out since the process began.
    package static var linesLeftOut: Int { leftOut.load(ordering: .relaxed) }

    /// Counts a line that was left out before it was printed.
    package static func leaveOutLine() {
        leftOut.wrappingAdd(1, ordering: .relaxed)
    }

    private let crash: String
    private let wake: Descriptor
    /// The diverted descriptors, each with a descriptor for its former destination.
    private let diverted: [(number: Int32, real: Int32)]
    private let hasDrained = Semaphore()
    private let onCrash = Mutex<@Sendable (_ note: [UInt8], _ cause: String) -> Void>({ _, _ in })
    // Only the output thread uses this, from its start on; `init` has returned by then.
    nonisolated(unsafe) private let outputs: [Output]

    /// Diverts descriptors 1 and 2. Called once in a process.
    ///
    /// - Parameters:
    ///   - maximumBytes: the bound on the text that waits for each destination's reader.
    ///   - crash: the words of a crash report for what ends, as in "the process ends, and every session with it".
    /// - Throws: when the process has no descriptors or threads left. Everything is printed directly then.
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
        // Buffered by line, so that a line is passed on when it is printed and isn't lost with the process, whatever
        // descriptor 1 was before.
        Stdio.bufferOutputByLine()
        clinux_report_crashes(
            diverted.map(\.real), diverted.map(\.number), Int32(diverted.count), wake.number, CrashReport.note)
    }

    /// Sets the action for crashes.
    ///
    /// - Parameter action: called before the process ends by the crash of work with a note (`JobSource.crashNote`), with the
    ///   cause in words. It runs on the output thread, as the crashed thread never releases its locks.
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

    /// Has everything printed directly again, and waits until earlier text is written, at most half a second. Called once,
    /// before the process ends.
    package func close() {
        fflush(nil)
        restore()
        var one: UInt64 = 1
        _ = LibC.write(wake.number, &one, MemoryLayout.size(ofValue: one))
        hasDrained.wait(atMost: Self.closingTime)
    }
}

// The output thread.
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

    /// Writes everything that is left in the pipes. A reader that takes nothing within `closingTime` is given up.
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

    /// Waits for printed text or a ready reader, and passes on what can be passed on.
    ///
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

    /// A destination, and the text that waits for it. Confined to the output thread.
    private final class Output {
        /// The descriptors by which programs know the destination: 1, 2 or both.
        let numbers: [Int32]
        let real: Descriptor
        let printed: Descriptor
        private var writing: Descriptor?
        private let channel: Channel
        private var waiting: WaitingLines
        /// Whether nobody will read any more.
        private var isBroken = false

        /// Makes the pipe that replaces these descriptors.
        init(_ numbers: [Int32], _ maximumBytes: Int) throws(SystemError) {
            let pipe = try Pipe()
            // A number away from those that other code uses.
            let kept = try Descriptor(fcntl(numbers[0], F_DUPFD_CLOEXEC, Stdio.lowestMoved), "fcntl", "F_DUPFD_CLOEXEC")
            real = try Stdio.unblocked(kept, mode: O_WRONLY)
            channel = Channel(real)
            // Writing to the pipe blocks until the output thread reads, and never fails for want of room.
            let flags = fcntl(pipe.writing.number, F_GETFL)
            guard flags >= 0, fcntl(pipe.writing.number, F_SETFL, flags & ~O_NONBLOCK) == 0 else {
                throw SystemError.last("fcntl", "F_SETFL")
            }
            printed = pipe.reading
            writing = .some(pipe.writing)
            self.numbers = numbers
            waiting = WaitingLines(maximumBytes: maximumBytes)
        }

        /// Puts the pipe's writing end in place of the descriptors, which alone hold it from then on. Called once.
        func divert() throws(SystemError) {
            guard let writing = writing.take() else { return }
            for number in numbers {
                guard dup2(writing.number, number) >= 0 else { throw SystemError.last("dup2") }
            }
        }

        /// Adds text of this class to the text that waits.
        func append(_ text: String) {
            var text = text
            text.withUTF8 { _ = waiting.append(UnsafeRawBufferPointer($0)) }
        }

        var isWaiting: Bool { !waiting.bytes.isEmpty && !isBroken }

        /// Reads what was printed, at most as much as one pipe holds.
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

        /// Writes as much as the reader takes without blocking.
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
