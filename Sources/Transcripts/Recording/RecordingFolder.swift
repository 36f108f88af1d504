import LibC
import Synchronization
package import Transport

/// Records each connection of a server to a file of its own, which only the server's user can read.
///
/// Any thread may call it. A file's name is the time of its connection and a number, so that files are listed in that order. If
/// a connection can't be recorded, that is reported, and the connection is served all the same.
package final class RecordingFolder: Sendable {
    private struct State {
        var last = 0
        var recordings: [Int: Recording] = [:]
    }

    private let path: String
    private let redacts: Bool
    private let server: String
    /// The loop on which files are written; it blocks while the disk is slow.
    private let loop: EventLoop
    private let didFail: @Sendable (TranscriptError) -> Void
    private let state = Mutex(State())

    /// Makes the folder unless it exists.
    ///
    /// - Parameters:
    ///   - server: the server's name for transcripts in which the server never names itself.
    ///   - didFail: called on any thread, at most once for each connection.
    /// - Throws: `TranscriptError` if no file can be made in the folder, `SystemError` if the loop can't be made.
    package init(
        path: String, redacts: Bool, server: String, didFail: @escaping @Sendable (TranscriptError) -> Void
    ) throws {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST, access("\(path)/.", W_OK | X_OK) == 0 else {
            throw TranscriptError(path: path, reason: String(cString: strerror(errno)))
        }
        self.path = path
        self.redacts = redacts
        self.server = server
        self.didFail = didFail
        loop = try EventLoop(name: "disk")
        try loop.start()
    }

    /// Returns a stream that records `stream`, or `stream` itself if it can't be recorded. Must be called on the stream's loop.
    package func record(_ stream: any ByteStream) -> any ByteStream {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let name = "\(Self.timestamp())-\(Self.padded(number, 4))"
        do {
            let recording = Recording(
                to: try TranscriptFile(path: "\(path)/\(name).jsonl", isPrivate: true), options(name), on: loop,
                didStop: didFail)
            state.withLock { $0.recordings[number] = recording }
            return RecordingStream(stream, as: recording.connect(), didClose: { [self] in finish(number) })
        } catch {
            didFail(error)
            return stream
        }
    }

    /// Writes and closes all files, but gives up each on which the disk takes nothing for as long as `grace`. Must be called
    /// once, last.
    ///
    /// - Parameter timers: the executor on which the grace is measured.
    package func close(within grace: Duration, timers: any TaskExecutor) async {
        let recordings = state.withLock { $0.recordings.values }
        await withTaskGroup(of: Void.self) { group in
            for recording in recordings {
                group.addTask { _ = await recording.close(within: grace, timers: timers) }
            }
        }
        loop.stop()
    }

    private func finish(_ number: Int) {
        let recording = state.withLock { $0.recordings[number] }
        recording?.finish { [self] _ in state.withLock { _ = $0.recordings.removeValue(forKey: number) } }
    }

    private func options(_ name: String) -> Recording.Options {
        var options = Recording.Options(header: TranscriptHeader(title: name, server: server))
        options.redacts = redacts
        return options
    }

    /// Returns the current time in the form "20260714T120203.045Z".
    private static func timestamp() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var time = tm()
        gmtime_r(&now.tv_sec, &time)
        let date = "\(Int(time.tm_year) + 1_900)\(padded(Int(time.tm_mon) + 1, 2))\(padded(Int(time.tm_mday), 2))"
        let hours = "\(padded(Int(time.tm_hour), 2))\(padded(Int(time.tm_min), 2))\(padded(Int(time.tm_sec), 2))"
        return "\(date)T\(hours).\(padded(now.tv_nsec / 1_000_000, 3))Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
