import JSON
import Testing
import TestSupport
import Transcripts

@Suite(.inTurn) struct PlayerFailureReportTests {
    @Test func `differences are shown side by side, and matchers and keys aren't differences`() throws {
        let report = try Self.orders.report(width: 100)
        #expect(
            report == #"""
                a.jsonl:5: expected 12.5 but 12.75 came
                  at /params/event/value/0/total

                  expected                                        │ came
                  … 4 lines
                      "session": 1,                               │     "session": 1,
                      "seq": 1,                                   │     "seq": 1,
                      "event": {                                  │     "event": {
                        "kind": "orders",                         │       "kind": "orders",
                        "value": [                                │       "value": [
                          {                                       │         {
                            "customer": "Ada",                    │           "customer": "Ada",
                ≠           "total": 12.5,                        │           "total": 12.75,
                            "items": [                            │           "items": [
                              "tea",                              │             "tea",
                              "rolls",                            │             "rolls",
                ≠             "butter",                           │
                              "a very long jar of marmalade"      │             "a very long jar of marmalade"
                            ]                                     │           ]
                          },                                      │         },
                          {"customer":"Bo","total":1.0}           │         {"customer":"Bo","total":1}
                        ],                                        │       ],
                        "empty": {}                               │       "empty": {},
                ≠                                                 │       "more": true
                      }                                           │     }
                  … 2 lines

                  2 │ {"from":"client",…{"id":1,"method":"session/open","params":{"viewModel":"orders"}}}
                  3 │ {"from":"server",…{"id":1,"result":{"session":1,"key":"k1","viewModel":{"$match":"string"}}}}
                  4 │ {"from":"client",…{"id":2,"method":"view/event","params":{"session":1,"event":{"kind":"select…
                > 5 │ {"from":"server",…{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"…
                  6 │ {"from":"server","connection":1,"at":816,"message":{"id":2,"result":{"seq":1}}}
                """#)
    }

    @Test func `on a narrow terminal the messages are above each other`() throws {
        let report = try Self.orders.report(width: 60)
        #expect(
            report == #"""
                a.jsonl:5: expected 12.5 but 12.75 came
                  at /params/event/value/0/total

                  - expected, + came:
                  … 4 lines
                      "session": 1,
                      "seq": 1,
                      "event": {
                        "kind": "orders",
                        "value": [
                          {
                            "customer": "Ada",
                -           "total": 12.5,
                +           "total": 12.75,
                            "items": [
                              "tea",
                              "rolls",
                -             "butter",
                              "a very long jar of marmalade"
                            ]
                          },
                          {"customer":"Bo","total":1.0}
                        ],
                        "empty": {}
                +       "more": true
                      }
                  … 2 lines

                  2 │ {"from":"client",…{"id":1,"method":"session/open","pa…
                  3 │ {"from":"server",…{"id":1,"result":{"session":1,"key"…
                  4 │ {"from":"client",…{"id":2,"method":"view/event","para…
                > 5 │ {"from":"server",…{"jsonrpc":"2.0","method":"viewMode…
                  6 │ {"from":"server",…{"id":2,"result":{"seq":1}}}
                """#)
    }

    @Test func `a long message is cut to the part around the difference`() throws {
        let report = try Self.long.report(width: 100)
        #expect(
            report == #"""
                a.jsonl:3: expected …long long long long long long long long " but …long long long long LONG long long long " came
                  at /params/rows/49/title

                  expected                                        │ came
                  … 196 lines
                        },                                        │       },
                        {                                         │       {
                          "id": 49,                               │         "id": 49,
                          "title": "row 49 long long long long l… │         "title": "row 49 long long long long l…
                        },                                        │       },
                        {                                         │       {
                          "id": 50,                               │         "id": 50,
                ≠ …ong long long long long long long "            │ …ong long long LONG long long long "
                        },                                        │       },
                        {                                         │       {
                          "id": 51,                               │         "id": 51,
                          "title": "row 51 long long long long l… │         "title": "row 51 long long long long l…
                        },                                        │       },
                        {                                         │       {
                          "id": 52,                               │         "id": 52,
                          "title": "row 52 long long long long l… │         "title": "row 52 long long long long l…
                        },                                        │       },
                        {                                         │       {
                          "id": 53,                               │         "id": 53,
                          "title": "row 53 long long long long l… │         "title": "row 53 long long long long l…
                  … 192 lines

                  1 │ {"transcript":1,"title":"a play"}
                  2 │ {"from":"client","connection":1,"at":0,"message":{}}
                > 3 │ {"from":"server",…{"method":"rows","params":{"key":"E","rows":[{"id":1,"title":"row 1 long lo…
                """#)
    }

    @Test func `an unexpected message is shown alone, with control characters escaped`() throws {
        let report = try Self.unexpected.report(width: 80)
        #expect(
            report == #"""
                a.jsonl:2: nothing more was expected

                  came:
                  {
                    "method": "window/logMessage",
                    "params": {"type":1,"message":"\u009b31m it \u001b[2J failed \u202e"}
                  }

                  1 │ {"transcript":1,"title":"a play"}
                > 2 │ {"from":"client","connection":1,"at":0,"message":{"method":"a"}}
                  3 │ {"from":"server","connection":1,"at":0,"message":{"method":"b"}}
                """#)
    }

    @Test func `a missing message is shown alone`() throws {
        let play = try Play("> {}\n< {\"id\":null,\"error\":{\"code\":-32700,\"message\":\"not valid JSON\"}}\n> end")
        _ = try play.advance()
        guard case .fail(let failure) = try play.player.receiveNothing().last else { throw Play.NoFailure() }
        #expect(
            failure.report(width: 80) == #"""
                a.jsonl:3: nothing came, and this was expected

                  expected:
                  {
                    "id": null,
                    "error": {"code":-32700,"message":"not valid JSON"}
                  }

                  1 │ {"transcript":1,"title":"a play"}
                  2 │ {"from":"client","connection":1,"at":0,"message":{}}
                > 3 │ {"from":"server",…{"id":null,"error":{"code":-32700,"message":"not valid …
                  4 │ {"from":"client","connection":1,"at":0,"end":true}
                """#)
    }

    @Test func `text is compared line by line`() throws {
        let failure = PlayerFailure(
            path: "a", line: 9, reason: "another text came", expected: "GET / HTTP/1.1\nHost: a\n",
            actual: "GET / HTTP/1.1\nHost: b")
        #expect(
            failure.report(width: 80) == """
                a:9: another text came

                  expected                              │ came
                  GET / HTTP/1.1                        │ GET / HTTP/1.1
                ≠ Host: a                               │ Host: b
                ≠                                       │
                """)
    }

    @Test func `a different key is marked`() throws {
        let failure = PlayerFailure(
            path: "a", line: 9, reason: "r", difference: "/params/key", expected: #"{"params":{"key":"a"}}"#,
            actual: #"{"params":{"key":"b"}}"#)
        #expect(failure.report(width: 80).contains("≠     \"key\": \"a\""))
    }

    @Test func `no line is longer than the terminal is wide, whatever is shown`() throws {
        var generator = SeededGenerator(seed: 5)
        for failure in [try Self.orders, try Self.long, try Self.unexpected] {
            for _ in 0..<20 {
                let width = Int.random(in: 20...200, using: &generator)
                for line in failure.report(width: width).split(separator: "\n").dropFirst(2) {
                    #expect(line.count <= width)
                }
            }
        }
        #expect(!(try Self.orders.report(width: -5)).isEmpty)
    }

    static var orders: PlayerFailure {
        get throws {
            let play = try Play(
                """
                > {"id":1,"method":"session/open","params":{"viewModel":"orders"}}
                <@3 {"id":1,"result":{"session":1,"key":"k1","viewModel":{"$match":"string"}}}
                >@812 {"id":2,"method":"view/event","params":{"session":1,"event":{"kind":"select","index":0}}}
                <@815 {"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{"kind":"orders","value":[{"customer":"Ada","total":12.5,"items":["tea","rolls","butter","a very long jar of marmalade"]},{"customer":"Bo","total":1.0}],"empty":{}}}}
                <@816 {"id":2,"result":{"seq":1}}
                """)
            _ = try play.advance()
            _ = try play.receive(#"{"id":1,"result":{"session":1,"key":"A","viewModel":"orders"}}"#)
            return try play.failure(
                receiving:
                    #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{"kind":"orders","value":[{"customer":"Ada","total":12.75,"items":["tea","rolls","a very long jar of marmalade"]},{"customer":"Bo","total":1}],"empty":{},"more":true}}}"#
            )
        }
    }

    static var long: PlayerFailure {
        get throws {
            let rows = (1...100).map {
                #"{"id":\#($0),"title":"row \#($0) \#(String(repeating: "long ", count: 12))"}"#
            }
            let play = try Play(
                "> {}\n< {\"method\":\"rows\",\"params\":{\"key\":\"E\",\"rows\":[\(rows.joined(separator: ","))]}}")
            _ = try play.advance()
            return try play.failure(
                receiving:
                    #"{"method":"rows","params":{"key":"A","rows":[\#(rows.joined(separator: ",").replacing("row 50 long long long long long long long long long", with: "row 50 long long long long long long long long LONG"))]}}"#
            )
        }
    }

    static var unexpected: PlayerFailure {
        get throws {
            let play = try Play("> {\"method\":\"a\"}\n< {\"method\":\"b\"}")
            _ = try play.advance()
            return try play.failure(
                receiving:
                    #"{"method":"window/logMessage","params":{"type":1,"message":"\#u{9b}31m it \u001b[2J failed \#u{202e}"}}"#
            )
        }
    }
}
