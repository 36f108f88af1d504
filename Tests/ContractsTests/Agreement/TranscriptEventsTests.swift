import Contracts
import Examples
import FoundationEssentials
import JSON
import SchemaValidation
import Sessions
import Testing
import Serving

/// The events of the recorded conversations with the examples.
struct TranscriptEventsTests {
    private struct Place: Hashable {
        let connection: String
        let session: String
    }

    @Test func `every event of the transcripts is one of its view model's contract`() throws {
        let documents = try Self.documents()
        var seen: Set<String> = []
        for path in try Self.paths() {
            var viewModels: [Place: String] = [:]
            for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst() {
                let entry = try JSONTree(parsing: String(line))
                guard let message = entry["message"] else { continue }
                let connection = entry["connection"]?.line ?? "1"
                let session = { (members: JSONTree?) in
                    Place(connection: connection, session: members?["session"]?.line ?? "")
                }
                if let result = message["result"], case .string(let name)? = result["viewModel"] {
                    viewModels[session(result)] = name
                }
                guard message["method"] == .string("viewModel/event"), let params = message["params"],
                    let name = viewModels[session(params)], let event = params["event"], !event.line.contains("$match")
                else { continue }
                let document = try #require(documents[name])
                let violations = document.validate(text: event.line, by: "/viewModelEvent")
                #expect(violations.isEmpty, "\(path): \(name): \(event.line): \(violations)")
                seen.insert(name)
            }
        }
        #expect(seen == Set(documents.keys), "no event of the others is in any transcript")
    }

    private static func documents() throws -> [String: SchemaDocument] {
        var registry = Registry()
        Examples.register(in: &registry)
        var builder = ContractBuilder()
        var documents: [String: SchemaDocument] = [:]
        for types in registry.allNames.compactMap({ registry.types(of: $0) }) {
            documents[types.name] = try SchemaDocument(text: builder.contract(of: types).json.line)
        }
        return documents
    }

    private static func paths() throws -> [String] {
        let folder = String(#filePath.split(separator: "/ContractsTests/", maxSplits: 1)[0]) + "/Transcripts"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jsonl") }
        return names.sorted().map { "\(folder)/\($0)" }
    }
}
