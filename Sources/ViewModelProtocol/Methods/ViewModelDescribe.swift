import JSON
package import JSONRPC

/// Asks for a view model's schemas. One that only other view models can show has them too.
package enum ViewModelDescribe: ClientMethod {
    package static let name: StaticString = "viewModel/describe"
    package static let errors: [ErrorCode] = [.unknownViewModel]

    package struct Params: Codable, Sendable {
        /// The name under which the view model is registered.
        package var viewModel: String

        package init(viewModel: String) { self.viewModel = viewModel }
    }

    /// JSON Schemas of the messages that a view model takes and sends, in one document.
    package struct Result: Codable, Sendable {
        package var schema: SchemaDialect
        /// The name under which the view model is registered.
        package var name: String
        /// What the view model is for.
        package var description: String?
        /// Who finds the same session by session/open. Absent where each session/open makes one.
        package var scope: Initialize.FindingScope?
        /// The schema of the arguments in session/open.
        package var arguments: SchemaText
        /// The schema of the events that the view model takes.
        package var viewEvent: SchemaText
        /// The schema of the events that the view model sends.
        package var viewModelEvent: SchemaText
        /// The lists that the view model shows.
        package var lists: ListSchemas?
        /// The schemas that the others refer to.
        package var definitions: SchemaDefinitions?

        package init(
            name: String, description: String?, scope: Initialize.FindingScope?, arguments: SchemaText,
            viewEvent: SchemaText, viewModelEvent: SchemaText, lists: ListSchemas?, definitions: SchemaDefinitions?
        ) {
            schema = SchemaDialect()
            self.name = name
            self.description = description
            self.scope = scope
            self.arguments = arguments
            self.viewEvent = viewEvent
            self.viewModelEvent = viewModelEvent
            self.lists = lists
            self.definitions = definitions
        }

        private enum CodingKeys: String, CodingKey {
            case schema = "$schema"
            case name
            case description
            case scope
            case arguments
            case viewEvent
            case viewModelEvent
            case lists
            case definitions = "$defs"
        }
    }

    package static let examples = [
        MessageExample(
            "hello", #"{"viewModel":"hello"}"#,
            result: """
                {"$schema":"https://json-schema.org/draft/2020-12/schema","name":"hello",\
                "arguments":{"description":"It takes none.","type":"object","additionalProperties":false},\
                "viewEvent":{"oneOf":[{"type":"object","required":["kind"],\
                "properties":{"kind":{"const":"sayHello"}}}]},\
                "viewModelEvent":{"oneOf":[{"type":"object","required":["kind","value"],\
                "properties":{"kind":{"const":"helloText"},"value":{"type":"string"}}}]}}
                """)
    ]
}

/// The version of JSON Schema that a document is written in: draft 2020-12.
package struct SchemaDialect: SchemaProviding, Encodable, Hashable, Sendable {
    package static let uri = "https://json-schema.org/draft/2020-12/schema"

    package init() {}

    /// Takes another version too: readers ignore it.
    package init(from decoder: any Decoder) throws {}

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Self.uri)
    }

    package static var schema: String { #"{"const":"\#(uri)"}"# }

    package static var example: SchemaDialect { SchemaDialect() }
}
