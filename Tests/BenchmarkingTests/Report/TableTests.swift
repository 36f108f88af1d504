import Testing

@testable import Benchmarking

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
