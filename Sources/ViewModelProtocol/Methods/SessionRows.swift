package import JSONRPC

/// Gives a view the rows of a list that it shows.
///
/// It waits for no view event. Rows that are made on demand can be cancelled.
package enum SessionRows: ClientMethod {
    package static let name: StaticString = "session/rows"
    package static let errors: [ErrorCode] = [.requestCancelled, .unknownSession, .storeUnavailable]

    package struct Params: Codable, Sendable {
        package var session: ViewNumber
        /// The list's name.
        package var list: String
        /// The index of the first row, from 0.
        package var first: Count
        /// How many rows.
        package var count: Count

        package init(session: ViewNumber, list: String, first: Count, count: Count) {
            self.session = session
            self.list = list
            self.first = first
            self.count = count
        }
    }

    /// The rows as they are at number seq; all events up to it come before. Fewer than asked for where the list ends, or a
    /// limit is reached (rows, rowBytes).
    package struct Result: Codable, Sendable {
        package var seq: SequenceNumber
        /// How many rows the list has.
        package var count: Count
        /// The index of the first of the rows: the one asked for, or count where the list ends before it.
        package var first: Count
        package var rows: [RowValue]

        package init(seq: SequenceNumber, count: Count, first: Count, rows: [RowValue]) {
            self.seq = seq
            self.count = count
            self.first = first
            self.rows = rows
        }
    }

    package static let examples = [
        MessageExample(
            "the rows on screen", #"{"session":1,"list":"numbers","first":500,"count":2}"#,
            result: """
                {"seq":2,"count":1000,"first":500,"rows":[\
                {"id":500,"square":250000},{"id":501,"square":251001}]}
                """)
    ]
}
