import LibC
import Synchronization

/// A process that this one has started to do a part of its work: sockets are passed to it, which it serves.
///
/// Its standard input is a Unix socket, on which it gets them (`DescriptorReceiver`), and whose end tells it to end. On the same
/// socket it reports of itself, up to its own end. It has this process's standard output and standard error. It leads a process group of its own, so a terminal's Ctrl-C doesn't
/// reach it. When its loop ends, it is killed; and when this process ends, the kernel kills it (`ThisProcess.endWithParent`). Any
/// thread may call it.
package final class WorkerProcess: Sendable {
    package let processID: Int32
    private let loop: EventLoop
    /// This process's end of the socket; -1 once the process was told to end.
    private let control: Mutex<Int32>
    private let process: LoopBound<StartedProcess>

    /// Starts the process. On the loop only.
    ///
    /// - Parameters:
    ///   - path: of the program.
    ///   - arguments: with its name for itself first.
    ///   - environment: `NAME=VALUE`.
    ///   - didReport: called on the loop with each report, before `didEnd`. It may be anything, and is borrowed for the call.
    ///   - didEnd: called on the loop, once, unless the loop ends first.
    /// - Throws: the reason why it can't be started.
    package init(
        _ path: String, _ arguments: [String], environment: [String], on loop: EventLoop,
        didReport: @escaping (_ report: UnsafeRawBufferPointer) -> Void,
        didEnd: @escaping (ChildProcess.Ending) -> Void
    ) throws(SystemError) {
        loop.preconditionIsCurrent()
        let sockets = try SocketPair(ofPackets: true)
        // One of its own, as `control` is closed before the last report has come.
        let input = try Descriptor(fcntl(sockets.here.number, F_DUPFD_CLOEXEC, 0), "fcntl", "F_DUPFD_CLOEXEC")
        let reports = try WorkerReports(input, on: loop, didReport: didReport)
        let process: StartedProcess
        do throws(SystemError) {
            let (spawn, input) = (
                Spawn(path: path, arguments: arguments, environment: environment), sockets.there.number
            )
            processID = try SpawningThread.run { () throws(SystemError) in try spawn.run(input: input) }
            process = try StartedProcess(processID, name: path, on: loop) { ending in
                reports.finish()
                didEnd(ending)
            }
        } catch {
            reports.close()
            throw error
        }
        self.loop = loop
        self.process = LoopBound(process, loop: loop)
        control = Mutex(sockets.here.release())
    }

    deinit { end() }

    /// Gives the process one end of a new connection. Where the process has ended, the connection has ended, too.
    ///
    /// - Returns: the other end.
    /// - Throws: where the process was told to end, or the system refuses.
    package func connect() throws(SystemError) -> Descriptor {
        let sockets = try SocketPair(ofPackets: false)
        let there = sockets.there.number
        let error = control.withLock { control -> SystemError? in
            guard control >= 0 else { return SystemError(code: EPIPE, call: "sendmsg", subject: "a process that ends") }
            // A descriptor goes with a byte at least.
            return clinux_send_descriptor(control, "+", 1, there) == 0 ? nil : .last("sendmsg", "process \(processID)")
        }
        if let error, !error.isDeparture { throw error }
        return sockets.here
    }

    /// Tells the process to end, which it may take its time for. Again is fine.
    package func end() {
        let descriptor = control.withLock { control in
            defer { control = -1 }
            return control
        }
        guard descriptor >= 0 else { return }
        // The end of the input, though reports are still read.
        shutdown(descriptor, Int32(SHUT_WR))
        _ = Descriptor(owning: descriptor)
    }

    /// Ends the process: it is sent `SIGTERM` after the grace, and `SIGKILL` after a second one.
    package func end(within grace: Duration) {
        end()
        loop.execute { [process] in process.value.endWithin(grace) }
    }

    /// Ends it at once. Does nothing where it has ended.
    package func kill() {
        loop.execute { [process] in process.value.signal(SIGKILL) }
    }

    /// The memory that it uses, in bytes; 0 once it has ended.
    package var residentBytes: Int { ProcessUsage.residentBytes(of: "\(processID)") }
}

/// Two connected Unix sockets, of which the other end is for another process.
struct SocketPair: ~Copyable {
    let here: Descriptor
    let there: Descriptor

    /// - Parameter ofPackets: what is sent at once is received at once. Else they are streams of bytes.
    init(ofPackets: Bool) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard clinux_socket_pair(ofPackets ? 1 : 0, &ends) == 0 else { throw SystemError.last("socketpair") }
        here = Descriptor(owning: ends[0])
        there = Descriptor(owning: ends[1])
    }
}
