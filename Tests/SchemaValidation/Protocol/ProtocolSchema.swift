import FoundationEssentials
import Synchronization

/// `Schemas/protocol.schema.json`, which says what every message looks like.
package final class ProtocolSchema: Sendable {
    /// A value, the schema that it was held against, and what is wrong with it.
    package struct Judgement: Sendable {
        /// The schema's JSON Pointer.
        package let pointer: String
        package let value: ExactJSON
        package let violations: [Violation]

        package var isValid: Bool { violations.isEmpty }
    }

    package let document: SchemaDocument
    /// Earlier judgements by text: in tests the same messages cross again and again.
    private let known = Mutex<[String: Judgement]>([:])
    private static let knownCount = 10_000

    /// Reads the file of this checkout.
    package init() throws {
        document = try SchemaDocument(text: Self.text(of: "protocol.schema.json"))
    }

    /// A file of `Schemas`.
    package static func text(of name: String) throws -> String {
        let root = #filePath.replacing("/Tests/SchemaValidation/Protocol/ProtocolSchema.swift", with: "")
        return try String(contentsOfFile: "\(root)/Schemas/\(name)", encoding: .utf8)
    }

    package func judge(_ value: ExactJSON, by pointer: String) -> Judgement {
        Judgement(pointer: pointer, value: value, violations: document.validate(value, by: pointer))
    }

    /// The same as the other, and mostly without looking at the text.
    ///
    /// - Returns: nil when the text is no JSON.
    package func judgeClientMessage(text: String) -> Judgement? {
        judgement(for: "client \(text)") { (try? ExactJSON(text: text)).map { judgeClientMessage($0) } }
    }

    /// The same as the other, and mostly without looking at the text.
    ///
    /// - Returns: nil when the text is no JSON.
    package func judgeServerMessage(text: String) -> Judgement? {
        judgement(for: "server \(text)") { (try? ExactJSON(text: text)).map { judgeServerMessage($0) } }
    }

    private func judgement(for key: String, _ judge: () -> Judgement?) -> Judgement? {
        if let known = known.withLock({ $0[key] }) { return known }
        let judgement = judge()
        // Large and late messages aren't seen often.
        if key.utf8.count < 1_000 {
            known.withLock { known in if known.count < Self.knownCount { known[key] = judgement } }
        }
        return judgement
    }

    /// Judges what a client sent by the one kind of message that it can be meant for.
    package func judgeClientMessage(_ message: ExactJSON) -> Judgement {
        judge(message, by: "/$defs/\(clientKind(of: message))")
    }

    /// Judges what the server sent. A result is judged apart, since it doesn't say which method's it is.
    package func judgeServerMessage(_ message: ExactJSON) -> Judgement {
        let kind =
            if message.elements != nil {
                "serverBatch"
            } else if message["method"] != nil {
                message["id"] == nil ? "serverNotification" : "serverRequest"
            } else {
                message["error"] == nil ? "response" : "errorResponse"
            }
        return judge(message, by: "/$defs/\(kind)")
    }

    package func judgeResult(_ result: ExactJSON, of method: String) -> Judgement {
        judge(result, by: Self.pointer(to: "\(method).result"))
    }

    /// To a definition.
    package static func pointer(to name: String) -> String {
        "/$defs/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    private func clientKind(of message: ExactJSON) -> String {
        if message.elements != nil { return "clientBatch" }
        guard let method = message["method"] else {
            return message["result"] == nil && message["error"] == nil ? "clientMessage" : "clientResponse"
        }
        guard message["id"] != nil else { return "clientNotification" }
        return method.string == "$/cancelRequest" && message["params"] == nil ? "cancellation" : "clientRequest"
    }
}
