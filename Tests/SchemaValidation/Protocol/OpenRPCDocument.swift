/// `Schemas/openrpc.json`, which says what can be called.
package struct OpenRPCDocument: Sendable {
    /// A method that clients call, or a notification of the server.
    package struct Method: Sendable {
        package struct Example: Sendable {
            package let name: String
            package let params: ExactJSON
            /// Nil for a notification's.
            package let result: ExactJSON?
        }

        package let name: String
        package let summary: String
        /// "request", "notification" or "either".
        package let kind: String
        package let params: [(name: String, isRequired: Bool, reference: String)]
        /// Where the result's schema is; nil where there is none.
        package let resultReference: String?
        /// Where its errors are.
        package let errorReferences: [String]
        package let examples: [Example]
    }

    /// The methods that clients call.
    package let methods: [Method]
    /// The notifications that the server sends.
    package let notifications: [Method]
    package let errors: [(name: String, code: Int, message: String, dataReference: String?)]
    /// All of it.
    package let json: ExactJSON

    /// Reads the file of this checkout. What isn't as expected reads as empty, which no test takes for right.
    package init() throws {
        json = try ExactJSON(text: ProtocolSchema.text(of: "openrpc.json"))
        methods = (json["methods"]?.elements ?? []).map { Method($0) }
        notifications = (json["x-notifications"]?.elements ?? []).map { Method($0) }
        errors = (json["components"]?["errors"]?.members ?? []).map { name, error in
            (name, error["code"]?.integer ?? 0, error["message"]?.string ?? "", error["data"]?["$ref"]?.string)
        }
    }

    /// Every `$ref` in it.
    package var references: [String] { Self.references(in: json) }

    private static func references(in json: ExactJSON) -> [String] {
        switch json {
        case .object:
            (json.members ?? []).flatMap { name, value in
                name == "$ref" ? [value.string ?? ""] : references(in: value)
            }
        case .array(let elements): elements.flatMap { references(in: $0) }
        default: []
        }
    }
}

extension OpenRPCDocument.Method {
    init(_ json: ExactJSON) {
        name = json["name"]?.string ?? ""
        summary = json["summary"]?.string ?? ""
        kind = json["x-kind"]?.string ?? "notification"
        params = (json["params"]?.elements ?? []).map { param in
            (
                param["name"]?.string ?? "", param["required"] == .boolean(true),
                param["schema"]?["$ref"]?.string ?? ""
            )
        }
        resultReference = json["result"]?["schema"]?["$ref"]?.string
        errorReferences = (json["errors"]?.elements ?? []).map { $0["$ref"]?.string ?? "" }
        examples = (json["examples"]?.elements ?? []).map { example in
            var members: [ExactString: ExactJSON] = [:]
            for param in example["params"]?.elements ?? [] {
                members[ExactString(param["name"]?.string ?? "")] = param["value"]
            }
            return Example(
                name: example["name"]?.string ?? "", params: .object(members), result: example["result"]?["value"])
        }
    }
}

extension ExactJSON {
    /// Nil when it is no number that an `Int` holds.
    package var integer: Int? {
        guard case .number(let number) = self else { return nil }
        return Int(number.text)
    }
}
