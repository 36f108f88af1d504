/// A writer of a recording's lines to its file. Confined to a loop that may wait for the disk.
final class TranscriptWriter {
    /// The number of bytes up to which lines are collected before they are written.
    private static let writtenBytes = 1 << 20

    private var recorder: TranscriptRecorder
    private let file: TranscriptFile
    /// Whether writing has failed, so that nothing more is written.
    private var hasFailed = false

    init(_ recorder: TranscriptRecorder, _ file: TranscriptFile) {
        self.recorder = recorder
        self.file = file
    }

    /// Writes the lines of the entries.
    ///
    /// - Parameter didWrite: called with the size of each part of the entries that is written or lost.
    /// - Throws: `TranscriptError` at the first failure.
    func write(
        _ entries: consuming [RecordingEvents.Entry], _ didWrite: (_ bytes: Int) -> Void
    ) throws(TranscriptError) {
        var bytes = 0
        for index in entries.indices {
            bytes += entries[index].event.size
            if !hasFailed { record(entries[index]) }
            // Releases the entry's bytes.
            entries[index].event = .close
            guard recorder.output.count >= Self.writtenBytes else { continue }
            try flush()
            didWrite(bytes)
            bytes = 0
        }
        try flush()
        didWrite(bytes)
    }

    /// Ends the transcript and closes the file. Called last; may be called more than once.
    ///
    /// - Parameter isCut: whether the recording stopped early. Then incomplete content is left out.
    /// - Throws: `TranscriptError` if the file doesn't have everything.
    func finish(at time: Int, isCut: Bool) throws(TranscriptError) {
        recorder.finish(at: time, keepsIncomplete: !isCut)
        try flush()
        try file.close()
    }

    func discard() {
        file.discard()
    }

    private func record(_ entry: RecordingEvents.Entry) {
        switch entry.event {
        case .bytes(let bytes, let side):
            bytes.withUnsafeBytes { recorder.pass($0, from: side, on: entry.connection, at: entry.at) }
        case .end(let side): recorder.end(side, on: entry.connection, at: entry.at)
        case .close: recorder.close(entry.connection, at: entry.at)
        }
    }

    private func flush() throws(TranscriptError) {
        let lines = recorder.takeOutput()
        guard !hasFailed else { return }
        do {
            try file.write(lines)
        } catch {
            hasFailed = true
            throw error
        }
    }
}
