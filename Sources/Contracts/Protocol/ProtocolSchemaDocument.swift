import JSONRPC
import ViewModelProtocol

/// The document `Schemas/protocol.schema.json`: a JSON Schema (draft 2020-12) of every message.
///
/// The params, results and errors are already described; here they get the envelopes of JSON-RPC around them.
struct ProtocolSchemaDocument {
    typealias Method = ProtocolDescription.Method
    typealias Failure = ProtocolDescription.Failure

    private let methods: [Method]
    private let notifications: [ProtocolDescription.Notification]
    private let errors: [Failure]
    private let definitions: [JSONTree.Member]

    init(_ description: ProtocolDescription) {
        methods = description.methods
        notifications = description.notifications
        errors = description.errors
        definitions = description.definitions
    }

    var json: JSONTree {
        [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "The view model protocol, version \(ProtocolVersion.current.rawValue)",
            "description": """
            Every message that a client and the server exchange: JSON-RPC 2.0. The params and results of a method are \
            named <method>.params and <method>.result, errors error.<name>. Messages of the server have the members that \
            are named and no other; in those of clients other members are ignored.
            """,
            "anyOf": [Self.reference("clientMessage"), Self.reference("serverMessage")],
            "$defs": .object(
                clientEnvelope + serverEnvelope + Self.commonEnvelope + messageSchemas + errorSchemas + definitions),
        ]
    }

    private static func reference(_ definition: String) -> JSONTree {
        let escaped = definition.replacing("~", with: "~0").replacing("/", with: "~1")
        return ["$ref": "#/$defs/\(escaped)"]
    }

    private static func anyOf(_ definitions: String...) -> JSONTree {
        ["anyOf": .array(definitions.map { reference($0) })]
    }

    private static func names(_ methods: [Method]) -> JSONTree { .array(methods.map { .string($0.name) }) }

    private static func object(
        _ title: String, _ description: String, required: JSONTree, _ properties: JSONTree, _ others: JSONTree = [:]
    ) -> JSONTree {
        let object: JSONTree = [
            "title": .string(title), "description": .string(description), "type": "object", "required": required,
            "properties": properties,
        ]
        return object.merging(others)
    }
}

// Messages of clients.
extension ProtocolSchemaDocument {
    private var clientEnvelope: [JSONTree.Member] {
        [
            .init(
                "clientMessage",
                [
                    "title": "A message of a client",
                    "description": "One message, or a batch of them. Members that aren't named here are ignored.",
                    "anyOf": [
                        Self.reference("clientRequest"), Self.reference("clientNotification"),
                        Self.reference("cancellation"), Self.reference("clientResponse"), Self.reference("clientBatch"),
                    ],
                ]),
            .init("clientRequest", clientRequest),
            .init("clientNotification", clientNotification),
            .init("cancellation", Self.cancellation),
            .init(
                "clientResponse",
                [
                    "title": "An answer to the server",
                    "description": "An answer to a request that the server didn't make is ignored.", "type": "object",
                    "anyOf": [["required": ["result"]], ["required": ["error"]]], "properties": ["method": false],
                ]),
            .init(
                "clientBatch",
                [
                    "title": "A batch", "description": "Its answers come as one array when all are ready.",
                    "type": "array", "minItems": 1,
                    "items": Self.anyOf("clientRequest", "clientNotification", "cancellation", "clientResponse"),
                ]),
        ]
    }

    private var clientRequest: JSONTree {
        let others = methods.filter { $0.kind == .notification }
        return Self.object(
            "A request",
            "It is answered once, with the same id. A method that isn't named here is answered MethodNotFound.",
            required: ["jsonrpc", "id", "method"],
            [
                "jsonrpc": Self.reference("jsonrpc"), "id": Self.reference("RequestID"),
                "method": [
                    "description": "The methods that are named here are notifications and have no id.",
                    "type": "string", "not": ["enum": Self.names(others)],
                ],
                "params": Self.paramsOfClient,
            ],
            ["allOf": .array(paramsRules(of: methods.filter { $0.kind != .notification }))])
    }

    private var clientNotification: JSONTree {
        let others = methods.filter { $0.kind == .request }
        return Self.object(
            "A notification",
            "It is not answered. Failures are reported by window/logMessage; a method that isn't named here is ignored.",
            required: ["jsonrpc", "method"],
            [
                "jsonrpc": Self.reference("jsonrpc"), "id": false,
                "method": [
                    "description": "The methods that are named here are requests and need an id.",
                    "type": "string", "not": ["enum": Self.names(others)],
                ],
                "params": Self.paramsOfClient,
            ],
            ["allOf": .array(paramsRules(of: methods.filter { $0.kind != .request }))])
    }

    private static let paramsOfClient: JSONTree = [
        "description": "The members of <method>.params. An array of one object counts as that object."
    ]

    private static var cancellation: JSONTree {
        object(
            "A cancellation, as Vim sends it", "Gives up on the request with this id, and has no answer of its own.",
            required: ["jsonrpc", "id", "method"],
            [
                "jsonrpc": reference("jsonrpc"), "id": reference("RequestID"),
                "method": ["const": .string("\(CancelRequest.name)")], "params": false,
            ])
    }

    /// Returns a rule for each method whose params have members, and one for all other methods.
    private func paramsRules(of methods: [Method]) -> [JSONTree] {
        let withoutParams = methods.filter { $0.params["properties"] == nil }
        let rules = methods.filter { $0.params["properties"] != nil }.map { method in
            Self.rule(["const": .string(method.name)], Self.params(of: method))
        }
        let ignoring: JSONTree = ["properties": ["params": Self.reference("noParams")]]
        return withoutParams.isEmpty ? rules : rules + [Self.rule(["enum": Self.names(withoutParams)], ignoring)]
    }

    private static func rule(_ method: JSONTree, _ consequence: JSONTree) -> JSONTree {
        ["if": ["properties": ["method": method]], "then": consequence]
    }

    private static func params(of method: Method) -> JSONTree {
        let params = reference("\(method.name).params")
        let alone: JSONTree = ["items": params, "minItems": 1, "maxItems": 1]
        guard method.params["required"] != nil else {
            let array: JSONTree = ["type": "array"]
            let forms: JSONTree = [reference("absentParams"), params, array.merging(alone)]
            return ["properties": ["params": ["anyOf": forms]]]
        }
        return [
            "required": ["params"],
            "properties": ["params": ["if": ["type": "array"], "then": alone, "else": params]],
        ]
    }
}

// Messages of the server.
extension ProtocolSchemaDocument {
    private var serverEnvelope: [JSONTree.Member] {
        [
            .init(
                "serverMessage",
                [
                    "title": "A message of the server",
                    "description":
                        "One message, or the answers to a batch. It has the members that are named here and no other.",
                    "anyOf": [
                        Self.reference("response"), Self.reference("errorResponse"),
                        Self.reference("serverNotification"),
                        Self.reference("serverRequest"), Self.reference("serverBatch"),
                    ],
                ]),
            .init("response", response),
            .init("errorResponse", Self.errorResponse),
            .init("serverNotification", serverNotification),
            .init(
                "serverRequest",
                Self.object(
                    "A request of the server", "The client answers it with null.",
                    required: ["jsonrpc", "id", "method"],
                    [
                        "jsonrpc": Self.reference("jsonrpc"), "id": Self.reference("RequestID"),
                        "method": ["const": .string("\(Ping.name)")],
                    ], ["additionalProperties": false])),
            .init(
                "serverBatch",
                [
                    "title": "The answers to a batch", "type": "array", "minItems": 1,
                    "items": Self.anyOf("response", "errorResponse"),
                ]),
        ]
    }

    private var response: JSONTree {
        let results = methods.filter { $0.result != nil && $0.result?["type"] != "null" }
        return Self.object(
            "An answer", "The method's <method>.result describes the result.", required: ["jsonrpc", "id", "result"],
            [
                "jsonrpc": Self.reference("jsonrpc"), "id": Self.reference("RequestID"),
                "result": ["anyOf": .array([["type": "null"]] + results.map { Self.reference("\($0.name).result") })],
            ], ["additionalProperties": false])
    }

    private static var errorResponse: JSONTree {
        let codes = ProtocolError.withoutID.map { JSONTree.number("\($0.rawValue)") }
        return object(
            "An answer that says what went wrong", "The id is null where the request's can't be known.",
            required: ["jsonrpc", "id", "error"],
            [
                "jsonrpc": reference("jsonrpc"), "id": ["anyOf": [reference("RequestID"), ["type": "null"]]],
                "error": reference("error"),
            ],
            [
                "additionalProperties": false, "if": ["properties": ["id": ["type": "null"]]],
                "then": ["properties": ["error": ["properties": ["code": ["enum": .array(codes)]]]]],
            ])
    }

    private var serverNotification: JSONTree {
        let rules = notifications.map { notification in
            Self.rule(
                ["const": .string(notification.name)],
                ["properties": ["params": Self.reference("\(notification.name).params")]])
        }
        return Self.object(
            "A notification of the server", "It is not answered.", required: ["jsonrpc", "method", "params"],
            [
                "jsonrpc": Self.reference("jsonrpc"),
                "method": ["enum": .array(notifications.map { .string($0.name) })],
                "params": ["description": "<method>.params.", "type": "object"],
            ], ["additionalProperties": false, "allOf": .array(rules)])
    }
}

// Definitions that the messages of both sides refer to.
extension ProtocolSchemaDocument {
    private static let commonEnvelope: [JSONTree.Member] = [
        .init("jsonrpc", ["description": "The version of JSON-RPC.", "const": "2.0"]),
        .init(
            "noParams",
            [
                "description": "The params of a method that takes none. Whatever is in them is ignored.",
                "type": ["object", "array", "null"], "items": ["type": ["object", "null"]], "maxItems": 1,
            ]),
        .init("absentParams", ["description": "The values that count as no params.", "enum": [.null, [], [.null]]]),
    ]

    private var messageSchemas: [JSONTree.Member] {
        methods.flatMap { method in
            [JSONTree.Member("\(method.name).params", method.params)]
                + (method.result.map { [JSONTree.Member("\(method.name).result", $0)] } ?? [])
        } + notifications.map { JSONTree.Member("\($0.name).params", $0.params) }
    }

    private var errorSchemas: [JSONTree.Member] {
        let codes = errors.map { JSONTree.number("\($0.error.code.rawValue)") }
        let rules = errors.map { failure -> JSONTree in
            [
                "if": ["properties": ["code": ["const": .number("\(failure.error.code.rawValue)")]]],
                "then": Self.reference("error.\(failure.error.name)"),
            ]
        }
        let error: JSONTree = [
            "description": "What went wrong.", "type": "object", "required": ["code", "message"],
            "properties": [
                "code": ["description": "For programs.", "enum": .array(codes)],
                "message": ["description": "For people: what is wrong, and what to do.", "type": "string"],
                "data": ["description": "For programs; the code decides what it is."],
            ],
            "additionalProperties": false, "allOf": .array(rules),
        ]
        return [.init("error", error)] + errors.map { .init("error.\($0.error.name)", Self.schema(of: $0)) }
    }

    private static func schema(of failure: Failure) -> JSONTree {
        let description: JSONTree = ["description": .string(failure.error.meaning)]
        let required: JSONTree = failure.error.hasAlwaysData ? ["required": ["data"]] : [:]
        return description.merging(required).merging([
            "properties": [
                "code": ["const": .number("\(failure.error.code.rawValue)")], "data": failure.data ?? false,
            ]
        ])
    }
}

extension JSONTree {
    /// Returns an object with the members of both objects, in this order.
    fileprivate func merging(_ others: JSONTree) -> JSONTree {
        guard case .object(let members) = self, case .object(let more) = others else { return self }
        return .object(members + more)
    }
}
