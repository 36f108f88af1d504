import Contracts
import Serving
import Sessions
import Transcripts

/// Plays a transcript to this build of the server, then prints what is made of the types of its protocol.
@main struct Probe {
    static func main() async throws {
        let server = InProcessServer(name: "probe", version: "0") { _ in }
        let outcome = await server.replay(CommandLine.arguments[1], TranscriptRunner.Options(side: .client))
        print("replayed: \(outcome.report(of: "session-count", width: 100))")
        let description = ProtocolDescription()
        print("problems: \(description.problems.count)")
        print("table: \(description.methodsTable.replacing("\n", with: " "))")
        print("schema: \(description.schema.line)")
        print("openrpc: \(try description.openRPC.line)")
    }
}
