// Everything that a test needs with one import.
@_exported public import struct Sessions.Limits
@_exported public import struct Sessions.Registry
public import Testing
import Transcripts
@_exported public import protocol ViewModelServer.Server

/// A recorded conversation to test a server with: a file whose name ends in `.jsonl`.
///
/// One test replays all transcripts of a folder, each as a test case with the name of its file:
///
/// ```swift
/// import TranscriptTesting
///
/// @Test(arguments: Transcript.all(in: "Transcripts"))
/// func conversation(_ transcript: Transcript) async {
///     await transcript.replay(on: OrdersServer.self)
/// }
/// ```
///
/// If something else comes than is expected, the test fails at that line of the transcript. When the server is right
/// and the transcript isn't, run `UPDATE_TRANSCRIPTS=1 swift test`. It rewrites the transcripts; look at the changes.
public struct Transcript: Sendable {
    /// The path of the file.
    public let path: String
    /// The reason why there is nothing to replay; nil if `path` is that of a transcript.
    let problem: String?

    /// Makes a transcript from a path. Each replay reads the file, and fails the test if the file can't be read.
    ///
    /// - Parameters:
    ///   - path: an absolute path, or one relative to the folder of `testFile`.
    ///   - testFile: defaults to the calling file.
    public init(_ path: String, testFile: String = #filePath) {
        self.init(path: Self.resolve(path, testFile), problem: nil)
    }

    private init(path: String, problem: String?) {
        self.path = path
        self.problem = problem
    }

    /// Returns the transcripts of a folder, ordered by name, without those of subfolders.
    ///
    /// - Parameters:
    ///   - folder: an absolute path, or one relative to the folder of `testFile`.
    ///   - testFile: defaults to the calling file.
    /// - Returns: at least one transcript. If the folder can't be read or has none, it is one whose replay fails, so
    ///   that a folder with a wrong path is noticed.
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
    /// The name of the file, without `.jsonl`.
    public var testDescription: String {
        String(name.hasSuffix(".jsonl") ? name.dropLast(6) : name)
    }
}

/// An identity for each transcript, so that its test case can be run alone.
extension Transcript: Identifiable {
    /// The path of the file.
    public var id: String { path }
}
