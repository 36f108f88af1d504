import Serving
import Transcripts

extension Application {
    /// What `replay --coverage` does: prints which methods, notifications, error codes and kinds of events of this server
    /// transcripts have seen, and which they haven't. It only reads the files, so nothing is started.
    ///
    /// As with other tools that measure coverage, a gap is no failure: the status is 1 only when a file can't be read.
    ///
    /// - Parameter paths: files, and folders whose `.jsonl` files are read.
    func printCoverage(of paths: [String]) -> Int32 {
        var coverage = Coverage(of: Contract(registry))
        do throws(TranscriptError) {
            for path in paths {
                for transcript in try TranscriptFolder.transcripts(at: path) {
                    try coverage.read(TranscriptReader(path: transcript))
                }
            }
        } catch {
            StandardError.write("\(name): \(error)")
            return 1
        }
        print(coverage.report)
        return 0
    }
}
