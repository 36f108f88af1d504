import JSON
import Testing

import Benchmarking

@Suite struct TableTests {
    @Test func `columns line up, and a sentence takes the rest of its line`() {
        let expected = """
            work                 server    limit  ratio  target
            some work   events  2,000/s  9,000/s   0.22  ≥ 0.5 × limit  missed
                        p50     26.0 µs        –      –
            more of it  failed: the server: late
            later       not there yet
            """
        #expect(Table(.sample).lines.joined(separator: "\n") == expected)
    }
}

@Suite struct JSONReportTests {
    @Test func `a program finds every round, and what became of it`() throws {
        let machine = Machine(descriptors: 1_024, otherWork: 0.25)
        let text = Array(JSONReport(machine: machine, sections: [.sample]).text.utf8)
        try text.withUnsafeBytes { bytes in
            let report = try JSONValue(validating: bytes)
            #expect(report.member("machine")?.member("descriptors")?.integer(as: Int.self) == 1_024)
            #expect(report.member("machine")?.member("otherWork")?.text.elementsEqual("0.25".utf8) == true)
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

extension Section {
    /// One of each kind of row.
    static let sample = Section(
        "server", against: "limit",
        rows: [
            Row(
                benchmark: "a", work: "some work", quantity: .events, target: .atLeastOfLimit(0.5),
                state: .measured([1_000, 3_000, 2_000], reference: [8_000, 10_000])),
            Row(
                benchmark: "a", work: "some work", quantity: .p50, target: nil,
                state: .measured([26.04], reference: [])),
            Row(benchmark: "b", work: "more of it", quantity: .events, target: nil, state: .failed("the server: late")),
            Row(benchmark: "c", work: "later", quantity: .events, target: nil, state: .absent("not there yet")),
        ])
}
