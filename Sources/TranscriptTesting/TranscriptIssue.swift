import Commands
import Testing
import Transcripts
import ViewModelServer

/// A failure of a test, at a line of a transcript.
struct TranscriptIssue: Equatable {
    private static let reportWidth = 120

    let path: String
    let line: Int
    let text: String

    init(_ text: String, path: String, line: Int = 1) {
        self.path = path
        self.line = line
        self.text = text
    }

    /// Makes an issue from the outcome of a replay; nil for one that passed.
    ///
    /// - Parameter circumstances: what the report adds in parentheses, such as the framing.
    init?(_ outcome: TranscriptOutcome, of path: String, _ circumstances: String) {
        let report = "\(outcome.report(of: path, width: Self.reportWidth))\n(\(circumstances))"
        switch outcome {
        case .passed: return nil
        case .failed(let failure, _):
            let advice = "If this is as it should be: \(TranscriptUpdates.variable)=1 swift test"
            self.init("\(report)\n\(advice)", path: path, line: failure.line)
        case .broken(let error): self.init(report, path: path, line: error.line ?? 1)
        case .interrupted: self.init(report, path: path)
        }
    }

    /// Fails the test at the transcript's line.
    func record() {
        Issue.record(Comment(rawValue: text), sourceLocation: location)
    }

    /// The transcript's line. A source location needs a file id made of a module and a file name; a transcript has no module,
    /// so its folder takes that place.
    private var location: SourceLocation {
        let parts = path.split(separator: "/").suffix(2)
        let id = parts.count == 2 ? parts.joined(separator: "/") : "Transcripts/\(parts.joined())"
        return SourceLocation(fileID: id, filePath: path, line: max(line, 1), column: 1)
    }
}
