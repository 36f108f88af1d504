@testable import Benchmarking

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
