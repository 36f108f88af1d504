/// Writes a recording's lines to its file. It waits for the disk, and belongs to the loop that does.
final class TranscriptWriter {
    /// Lines are written when there are so many bytes of them, or no more.
    private static let writtenBytes = 1 << 20

    private var recorder: TranscriptRecorder
    private let file: TranscriptFile
    /// What can't be written is nothing to think about any more.
    private var hasFailed = false

    init(_ recorder: TranscriptRecorder, _ file: TranscriptFile) {
        self.recorder = recorder
        self.file = file
    }

    /// - Parameter didWrite: called for each part of the entries that is in the file, or lost: what it took in memory.
    func write(
        _ entries: consuming [RecordingEvents.Entry], _ didWrite: (_ bytes: Int) -> Void
    ) throws(TranscriptError) {
        var bytes = 0
        for index in entries.indices {
            bytes += entries[index].event.size
            if !hasFailed { record(entries[index]) }
            // Lets its bytes go.
            entries[index].event = .close
            guard recorder.output.count >= Self.writtenBytes else { continue }
            try flush()
            didWrite(bytes)
            bytes = 0
        }
        try flush()
        didWrite(bytes)
    }

    /// The last call; again, it does nothing.
    ///
    /// - Parameter isCut: the recording stopped on the way: what has come in part isn't what was said.
    func finish(at time: Int, isCut: Bool) throws(TranscriptError) {
        recorder.finish(at: time, keepsIncomplete: !isCut)
        try flush()
        try file.close()
    }

    /// Nothing was written, and nothing will be.
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
