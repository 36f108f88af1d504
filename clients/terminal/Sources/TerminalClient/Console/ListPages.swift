import Contracts
import ViewModelClient

/// Reads the rows of a list for `rows`: a range of them, or page by page.
@MainActor struct ListPages {
    /// The place at which the next page begins.
    struct Place {
        let session: Int
        let list: String
        let next: Int
    }

    /// Rows of a list, the index of the first one, and the length of the list.
    struct Page {
        let place: Place
        let count: Int
        let first: Int
        let rows: [JSONTree]

        var json: JSONTree {
            .object([
                .init("list", .string(place.list)), .init("count", .number("\(count)")),
                .init("first", .number("\(first)")), .init("rows", .array(rows)),
            ])
        }

        func lines(_ formatter: EventFormatter) -> [String] {
            let last = first + rows.count - 1
            let remark =
                rows.isEmpty ? "no more rows: there are \(count)" : "rows \(first) to \(last) of \(count)"
            return formatter.lines(ofRows: rows, from: first) + ["  " + formatter.style.dim(remark)]
        }
    }

    /// The number of rows on a page.
    private static let pageCount = 20

    let view: ClientView
    /// The session's number, as `sessions` shows it.
    let number: Int
    let inputs: ConsoleInputs

    /// Reads rows of a list from the server, in as many requests as it takes.
    ///
    /// - Parameters:
    ///   - range: the indices of the rows; nil for the next page.
    ///   - place: the end of the page that was shown last. If it is nil or in another list, the next page is the first.
    /// - Throws: the server's error if there is no such list or its rows can't be made; an error if a row isn't JSON.
    func read(_ list: String, _ range: ClosedRange<Int>?, after place: Place?) async throws -> Page {
        let isNext = place.map { $0.session == number && $0.list == list } ?? false
        let first = range?.lowerBound ?? (isNext ? place?.next ?? 0 : 0)
        var (rows, total, start) = ([JSONTree](), 0, first)
        var wanted = range?.count ?? Self.pageCount
        // The server may answer with fewer rows than asked for, as its limits allow.
        while wanted > 0 {
            let (next, count) = (first + rows.count, min(wanted, Self.maximumCount))
            let answer = try await inputs.ask { [view] in try await view.rows(of: list, first: next, count: count) }
            if rows.isEmpty { start = answer.first }
            total = answer.count
            guard !answer.rows.isEmpty else { break }
            rows += try answer.rows.map { try JSONTree(parsing: $0) }
            wanted -= answer.rows.count
        }
        return Page(
            place: Place(session: number, list: list, next: start + rows.count), count: total, first: start, rows: rows)
    }

    /// The maximum number of rows in one request.
    private static let maximumCount = 1_000
}
