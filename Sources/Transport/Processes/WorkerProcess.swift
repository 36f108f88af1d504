import LibC
import Synchronization

/// A process that this one has started to do a part of its work, with the sockets that are passed to it.
///
/// The process's standard input is a Unix socket. The process gets the sockets on it (`DescriptorReceiver`), and the end of
/// this input tells the process to end. The process also sends reports on this socket, until it ends. Standard output and
/// standard error are those of this process. The process leads a process group of its own, so a terminal's Ctrl-C doesn't
/// reach it. When its loop ends, it is killed; when this process ends, the kernel kills it (`ThisProcess.endWithParent`). Any
/// thread may call this object.
package final class WorkerProcess: Sendable {
    package let processID: Int32
    private let loop: EventLoop
    /// This process's end of the socket; -1 once the process was told to end.
    private let control: Mutex<Int32>
    private let process: LoopBound<StartedProcess>

    /// Starts the process. Called on the loop only.
    ///
    /// - Parameters:
    ///   - path: the path of the program.
    ///   - arguments: the arguments, beginning with the program's name for itself.
    ///   - environment: entries of the form `NAME=VALUE`.
    ///   - didReport: called on the loop with each report, before `didEnd`. A report may be any bytes, and is borrowed for
    ///     the call.
    ///   - didEnd: called once, on the loop, unless the loop ends first.
    /// - Throws: the reason why the process can't be started.
    package init(
        _ path: String, _ arguments: [String], environment: [String], on loop: EventLoop,
        didReport: @escaping (_ report: UnsafeRawBufferPointer) -> Void,
        didEnd: @escaping (ChildProcess.Ending) -> Void
    ) throws(SystemError) {
        loop.preconditionIsCurrent()
        let sockets = try SocketPair(ofPackets: true)
        // A descriptor of its own, as `control` is closed before the last report has come.
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

    /// Passes one end of a new connection to the process. Where the process has ended, the connection has ended, too.
    ///
    /// - Returns: the other end.
    /// - Throws: where the process was told to end, or the system refuses.
    package func connect() throws(SystemError) -> Descriptor {
        let sockets = try SocketPair(ofPackets: false)
        let there = sockets.there.number
        let error = control.withLock { control -> SystemError? in
            guard control >= 0 else { return SystemError(code: EPIPE, call: "sendmsg", subject: "a process that ends") }
            // A descriptor must be sent with at least one byte.
            return clinux_send_descriptor(control, "+", 1, there) == 0 ? nil : .last("sendmsg", "process \(processID)")
        }
        if let error, !error.isDeparture { throw error }
        return sockets.here
    }

    /// Tells the process to end, which may take its time. More than once is fine.
    package func end() {
        let descriptor = control.withLock { control in
            defer { control = -1 }
            return control
        }
        guard descriptor >= 0 else { return }
        // This ends the process's input; its reports are still read.
        shutdown(descriptor, Int32(SHUT_WR))
        _ = Descriptor(owning: descriptor)
    }

    /// Tells the process to end. Sends `SIGTERM` where it still runs after the grace, and `SIGKILL` after a second one.
    package func end(within grace: Duration) {
        end()
        loop.execute { [process] in process.value.endWithin(grace) }
    }

    /// Kills the process at once. Does nothing where it has ended.
    package func kill() {
        loop.execute { [process] in process.value.signal(SIGKILL) }
    }

    /// The memory that the process uses, in bytes; 0 once it has ended.
    package var residentBytes: Int { ProcessUsage.residentBytes(of: "\(processID)") }
}

/// Two connected Unix sockets: `here` for this process, `there` for another one.
struct SocketPair: ~Copyable {
    let here: Descriptor
    let there: Descriptor

    /// - Parameter ofPackets: whether each send is received as one packet; otherwise the sockets carry streams of bytes.
    init(ofPackets: Bool) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard clinux_socket_pair(ofPackets ? 1 : 0, &ends) == 0 else { throw SystemError.last("socketpair") }
        here = Descriptor(owning: ends[0])
        there = Descriptor(owning: ends[1])
    }
}
