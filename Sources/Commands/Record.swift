import Transcripts
import Transport

/// Records the conversation of a client and a server, as a proxy between them.
struct Record: Sendable {
    static let command = Command(
        name: "record", summary: "records the conversation of a client and a server",
        help: { RecordOptions.help(name: $0.name) }, run: { try await Record($0, RecordOptions($1)).run() })

    /// The time without progress on the disk after which the rest of the recording is given up.
    static let grace: Duration = .seconds(10)

    private let name: String
    private let options: RecordOptions
    private let loop: EventLoop
    /// The loop that writes the file; it blocks while the disk is slow.
    private let disk: EventLoop

    init(_ application: Application, _ options: RecordOptions) throws {
        name = application.name
        self.options = options
        loop = try EventLoop(name: "conversation")
        disk = try EventLoop(name: "disk")
    }

    /// Records until the conversation ends.
    ///
    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        let file: TranscriptFile
        do {
            file = try TranscriptFile(path: options.file, overwrites: options.overwrites)
        } catch {
            report(error)
            return ExitStatus.cantCreate
        }
        let recording = Recording(to: file, recordingOptions, on: disk, didStop: { report($0) })
        try disk.start()
        try loop.start()
        do {
            let status = try await converse(recording)
            loop.stop()
            return await close(recording, status)
        } catch {
            await recording.discard()
            guard let error = error as? ProgramError else { throw error }
            report(error.reason)
            return error.status
        }
    }

    private var recordingOptions: Recording.Options {
        let server = options.program.first?.split(separator: "/").last.map(String.init) ?? options.target?.description
        var recording = Recording.Options(header: TranscriptHeader(title: options.titleOrName, server: server))
        recording.redacts = options.redacts
        return recording
    }

    private func converse(_ recording: Recording) async throws -> Int32 {
        let end = EndOfProcess()
        let target = try options.target?.resolve()
        loop.execute { [options, loop] in
            do {
                if let target {
                    try RecordedSockets(recording, to: target, on: loop, end: end).listen(options.tcp, options.unix)
                } else {
                    try RecordedProgram(recording, on: loop, end: end).start(options.program)
                }
            } catch {
                end.finish(with: .failure(error))
            }
        }
        return try await end.status().get()
    }

    private func close(_ recording: Recording, _ status: Int32) async -> Int32 {
        let failure = await recording.close(within: Self.grace)
        return failure != nil && status == 0 ? ExitStatus.inputOutput : status
    }

    private func report(_ error: any Error) {
        StandardError.write("\(name): \(error)")
    }
}
