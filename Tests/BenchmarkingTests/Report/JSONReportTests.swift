import JSON
import Testing

@testable import Benchmarking

@Suite struct JSONReportTests {
    @Test func `a program finds every round, and what became of it`() throws {
        let text = Array(JSONReport(machine: Machine(descriptors: 1_024), sections: [.sample]).text.utf8)
        try text.withUnsafeBytes { bytes in
            let report = try JSONValue(validating: bytes)
            #expect(report.member("machine")?.member("descriptors")?.integer(as: Int.self) == 1_024)
            var rows: [String] = []
            report.member("rows")?.forEachElement { rows.append(String(decoding: $0.text, as: UTF8.self)) }
            #expect(
                rows == [
                    #"{"benchmark":"a","work":"some work","quantity":"events","unit":"/s","#
                        + #""serverRounds":[1000.0,3000.0,2000.0],"limitRounds":[8000.0,10000.0],"#
                        + #""server":2000.0,"limit":9000.0,"ratio":0.2222222222222222,"#
                        + #""target":"≥ 0.5 × limit","met":false}"#,
                    #"{"benchmark":"a","work":"some work","quantity":"p50","unit":"µs","#
                        + #""serverRounds":[26.04],"limitRounds":[],"server":26.04}"#,
                    #"{"benchmark":"b","work":"more of it","quantity":"events","unit":"/s","failed":"the server: late"}"#,
                    #"{"benchmark":"c","work":"later","quantity":"events","unit":"/s","absent":"not there yet"}"#,
                ])
        }
    }
}
