public import Testing
import Transcripts

/// A recorded conversation to test a server by: a file whose name ends in `.jsonl`.
///
/// One line of a package's tests replays all of a folder, each as a test of its own name:
///
/// ```swift
/// @Test(arguments: Transcript.all(in: "Transcripts"))
/// func conversation(_ transcript: Transcript) async {
///     await transcript.replay(on: OrdersServer.self)
/// }
/// ```
///
/// A difference fails the test at the line of the transcript that was expected. To make what the server really sends the
/// expectation, run `UPDATE_TRANSCRIPTS=1 swift test` and look at the changes.
public struct Transcript: Sendable {
    /// The file's path.
    public let path: String
    /// Why there is nothing to replay.
    let problem: String?

    /// A transcript by its path, relative to the folder of the file that this is written in.
    public init(_ path: String, testFile: String = #filePath) {
        self.init(path: Self.resolve(path, testFile), problem: nil)
    }

    private init(path: String, problem: String?) {
        self.path = path
        self.problem = problem
    }

    /// The transcripts of a folder, by name; those of folders inside it are others.
    ///
    /// - Parameter folder: a path relative to the folder of the file that this is written in, or an absolute one. Where no
    ///   transcripts are, there is one whose test fails, so that a folder which was moved doesn't pass for tested.
    public static func all(in folder: String, testFile: String = #filePath) -> [Transcript] {
        let folder = resolve(folder, testFile)
        do {
            return try TranscriptFolder.transcripts(in: folder).map { Transcript(path: $0, problem: nil) }
        } catch {
            return [Transcript(path: folder, problem: "\(error)")]
        }
    }

    private static func resolve(_ path: String, _ testFile: String) -> String {
        if path.hasPrefix("/") { return path }
        return testFile.lastIndex(of: "/").map { "\(testFile[..<$0])/\(path)" } ?? path
    }

    private var name: Substring { path.split(separator: "/").last ?? "" }
}

extension Transcript: CustomTestStringConvertible {
    /// The file's name, without its end.
    public var testDescription: String {
        String(name.hasSuffix(".jsonl") ? name.dropLast(6) : name)
    }
}

/// So that a test of one transcript can be run alone.
extension Transcript: Identifiable {
    /// Its path.
    public var id: String { path }
}
