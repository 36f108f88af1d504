import Contracts
import FoundationEssentials
import JSON

/// The events of `Tests/Transcripts`, as they went over the wire, with what takes part in them.
struct WireEvents {
    private(set) var messages: [EveryForm.Message] = []
    /// Which view model a view on a connection sees.
    private var viewModels: [String: String] = [:]

    static func all() throws -> [EveryForm.Message] {
        let folder = "\(Checkout.root)/Tests/Transcripts"
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jsonl") }
        return try paths.sorted().flatMap { path in
            var events = WireEvents()
            try events.read(String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8))
            return events.messages
        }
    }

    private mutating func read(_ text: String) throws {
        let lines = try text.split(separator: "\n").map { try JSONTree(parsing: String($0)) }
        // A message that the server refused for its form is no event.
        let refused = Set(
            lines.flatMap { line in
                Self.messages(line).filter { $0["error"]?["code"] == .number("-32602") }.map {
                    Self.key(line, $0["id"])
                }
            })
        for line in lines {
            for message in Self.messages(line) {
                if let view = message["result"]?["session"], case .string(let name)? = message["result"]?["viewModel"] {
                    viewModels[Self.key(line, view)] = name
                }
                // A matcher stands for a value that isn't always the same, and isn't of its form.
                guard let event = message["params"]?["event"], !event.line.contains("$match"),
                    let name = viewModels[Self.key(line, message["params"]?["session"])]
                else { continue }
                let isOfView = line["from"] == .string("client")
                // Nothing shows whether a notification was taken.
                guard !isOfView || message["id"] != nil && !refused.contains(Self.key(line, message["id"])) else {
                    continue
                }
                messages.append(
                    .init(viewModel: name, part: isOfView ? "viewEvent" : "viewModelEvent", json: event.line))
            }
        }
    }

    private static func messages(_ line: JSONTree) -> [JSONTree] {
        switch line["message"] {
        case .array(let messages): messages
        case let message?: [message]
        case nil: []
        }
    }

    private static func key(_ line: JSONTree, _ value: JSONTree?) -> String {
        "\(line["connection"]?.line ?? "1") \(value?.line ?? "")"
    }
}
