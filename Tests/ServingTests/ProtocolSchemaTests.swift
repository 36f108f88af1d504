import SchemaValidation
import Sessions
import TestSupport
import Testing
import ViewModelProtocol

/// The server refuses what `Schemas` reject.
@Suite(.inTurn) struct ProtocolSchemaTests {
    @Test func `the schema has every reason why a session ends`() throws {
        let schema = try ProtocolSchema()
        for reason in SessionClosed.Reason.allCases {
            // As the server's sessions have them.
            #expect(EndReason(rawValue: reason.rawValue) != nil)
            let params = #"{"session":1,"reason":"\#(reason.rawValue)"}"#
            #expect(schema.document.validate(text: params, by: "/$defs/session~1closed.params") == [])
        }
    }

    @Test(.timeLimit(.minutes(4))) func `params that the schema rejects are refused`() async throws {
        let (schema, openRPC) = (try ProtocolSchema(), try OpenRPCDocument())
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "counter"))
            try await client.expect(
                Wire.opened("1", 1, "key-1", "counter"), Wire.event(1, 1, #"{"kind":"count","value":0}"#))
            var count = 1
            for method in openRPC.methods where method.kind != "notification" && method.name != "initialize" {
                for params in method.examples.flatMap(\.params.nearMisses) {
                    let request = Wire.request("\(count + 1)", method.name, params.text)
                    guard schema.judgeClientMessage(text: request)?.isValid == false else { continue }
                    count += 1
                    client.send(request)
                    let answer = try ExactJSON(text: await client.next())
                    let code = answer["error"]?["code"]?.integer
                    // No view has the number 0 or -1.
                    #expect(code == -32_602 || code == -32_012, "\(request) was answered \(answer)")
                }
            }
            #expect(count > 100)
            try await client.expectNothing()
        }
    }

    @Test(.timeLimit(.minutes(4))) func `params of initialize that the schema rejects are refused`() async throws {
        let schema = try ProtocolSchema()
        let params = """
            {"protocolVersion":"1.1","processId":1,"token":"t","trace":"off","capabilities":{},
            "clientInfo":{"name":"n"},"initializationOptions":{"protocolVersion":"1.1","token":"t"}}
            """
        // What stands beside the options comes before them, so they are tried alone, too.
        let options = #"{"initializationOptions":{"protocolVersion":"1.1","token":"t"}}"#
        try await withServer { server in
            let client = await server.connect()
            var count = 0
            for params in try [params, options].flatMap({ try ExactJSON(text: $0).nearMisses }) {
                let request = Wire.request("\(count)", "initialize", params.text)
                guard schema.judgeClientMessage(text: request)?.isValid == false else { continue }
                count += 1
                client.send(request)
                try await client.expectError(-32_602, id: "\(count - 1)")
            }
            #expect(count > 20)
        }
    }
}
