import SchemaValidation
import Testing

/// `Schemas/openrpc.json` says nothing that `Schemas/protocol.schema.json` doesn't, and leaves out nothing.
@Suite struct OpenRPCTests {
    private let schema: ProtocolSchema
    private let openRPC: OpenRPCDocument
    private let definitions: ExactJSON

    init() throws {
        schema = try ProtocolSchema()
        openRPC = try OpenRPCDocument()
        definitions = try #require(ExactJSON(text: ProtocolSchema.text(of: "protocol.schema.json"))["$defs"])
    }

    @Test func `every method's schemas have a method, and every method has its schemas`() throws {
        let names = (definitions.members ?? []).map(\.name)
        let called = openRPC.methods + openRPC.notifications
        #expect(Set(called.map(\.name)).count == called.count)
        #expect(Set(names.filter { $0.hasSuffix(".params") }) == Set(called.map { "\($0.name).params" }))
        let withResult = called.filter { $0.kind != "notification" }
        #expect(Set(names.filter { $0.hasSuffix(".result") }) == Set(withResult.map { "\($0.name).result" }))
        #expect(openRPC.notifications.allSatisfy { $0.kind == "notification" && $0.errorReferences.isEmpty })
    }

    @Test func `params, results and summaries are the schema's`() throws {
        for method in openRPC.methods + openRPC.notifications {
            let params = try #require(definitions["\(method.name).params"])
            let properties = params["properties"]?.members ?? []
            let required = Set((params["required"]?.elements ?? []).compactMap(\.string))
            #expect(Set(method.params.map(\.name)) == Set(properties.map(\.name)), "\(method.name)")
            #expect(Set(method.params.filter(\.isRequired).map(\.name)) == required, "\(method.name)")
            // By-name params can also be sent by position, as optional ones come last.
            #expect(method.params.drop { $0.isRequired }.allSatisfy { !$0.isRequired }, "\(method.name)")
            let pointer = ProtocolSchema.pointer(to: "\(method.name).params")
            for param in method.params {
                #expect(param.reference == "protocol.schema.json#\(pointer)/properties/\(param.name)")
            }
            let result = "protocol.schema.json#" + ProtocolSchema.pointer(to: "\(method.name).result")
            #expect(method.resultReference == (method.kind == "notification" ? nil : result), "\(method.name)")
            #expect(method.summary == params["description"]?.string, "\(method.name)")
        }
    }

    @Test func `errors are the schema's`() throws {
        let names = (definitions.members ?? []).map(\.name).filter { $0.hasPrefix("error.") }
        #expect(Set(names) == Set(openRPC.errors.map { "error.\($0.name)" }))
        for (name, code, message, dataReference) in openRPC.errors {
            let error = try #require(definitions["error.\(name)"])
            #expect(error["properties"]?["code"]?["const"]?.integer == code, "\(name)")
            #expect(error["description"]?.string == message, "\(name)")
            let data =
                error["properties"]?["data"] == .boolean(false)
                ? nil : "protocol.schema.json#/$defs/error.\(name)/properties/data"
            #expect(dataReference == data, "\(name)")
        }
        let codes = Set((definitions["error"]?["properties"]?["code"]?["enum"]?.elements ?? []).map(\.integer))
        #expect(codes == Set(openRPC.errors.map(\.code)))
        for method in openRPC.methods where method.kind != "notification" {
            #expect(!method.errorReferences.isEmpty, "\(method.name)")
        }
    }

    @Test func `every reference leads somewhere`() {
        let places = schema.document.pointers.map { "protocol.schema.json#\($0)" }
        let known = Set(places + openRPC.errors.map { "#/components/errors/\($0.name)" })
        #expect(openRPC.references.count > 100)
        for reference in openRPC.references { #expect(known.contains(reference), "\(reference)") }
    }

    @Test func `a method is taken as what it is called, and as nothing else`() {
        for method in openRPC.methods {
            for example in method.examples {
                let request = Self.message(method.name, example.params, id: .string("a"))
                let isRequest = schema.judge(request, by: "/$defs/clientRequest").isValid
                #expect(isRequest == (method.kind != "notification"), "\(method.name)")
                let notification = Self.message(method.name, example.params)
                let isNotification = schema.judge(notification, by: "/$defs/clientNotification").isValid
                #expect(isNotification == (method.kind != "request"), "\(method.name)")
            }
        }
        for method in openRPC.notifications {
            for example in method.examples {
                let notification = Self.message(method.name, example.params)
                #expect(schema.judge(notification, by: "/$defs/serverNotification").violations == [], "\(method.name)")
            }
        }
    }

    @Test func `examples are valid, and have happened`() throws {
        let watches = try Transcripts.paths.flatMap { try schema.follow(transcript: Transcripts.text(of: $0)) }
        let exchanges = Set(watches.flatMap(\.exchanges))
        for method in openRPC.methods + openRPC.notifications {
            for example in method.examples {
                let params = ProtocolSchema.pointer(to: "\(method.name).params")
                #expect(schema.judge(example.params, by: params).violations == [], "\(method.name): \(example.name)")
                if let result = example.result {
                    #expect(
                        schema.judgeResult(result, of: method.name).violations == [], "\(method.name): \(example.name)")
                }
                let exchange = ProtocolWatch.Exchange(
                    method: method.name, params: example.params, result: example.result)
                #expect(exchanges.contains(exchange), "\(method.name): \(example.name) stands in no transcript")
            }
        }
        let silent = (openRPC.methods + openRPC.notifications).filter(\.examples.isEmpty)
        #expect(silent.isEmpty)
    }

    private static func message(_ method: String, _ params: ExactJSON, id: ExactJSON? = nil) -> ExactJSON {
        var members: [ExactString: ExactJSON] = [
            "jsonrpc": .string("2.0"), "method": .string(ExactString(method)), "params": params,
        ]
        members["id"] = id
        return .object(members)
    }
}
