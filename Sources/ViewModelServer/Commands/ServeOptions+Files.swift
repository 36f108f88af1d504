import Transcripts

/// What the options name: read or made when the server starts, where a mistake can still be told.
extension ServeOptions {
    func recordings(of application: Application, _ log: Log) throws -> RecordingFolder? {
        do {
            let server = "\(application.name) \(application.version)"
            return try record.map {
                try RecordingFolder(
                    path: $0, redacts: redacts, server: server, didFail: { log.warning("\($0)") })
            }
        } catch let error as TranscriptError {
            throw UsageError(message: "--record \(error)")
        }
    }
}
