package import ViewModels

/// The rows of a list at one moment. It is a value, and stays as it is when the list changes.
///
/// It has an element for every row of the list. The element is nil for a row that hasn't been fetched, and for one
/// whose JSON isn't a `Row`.
///
/// ```swift
/// let rows = list.rows
/// print(rows.count, rows[7]?.title ?? "…")
/// ```
public struct RemoteRows<Row: Sendable>: Sendable {
    /// A run of adjacent rows that were fetched; at least one.
    fileprivate struct Span: Sendable {
        var first: Int
        var rows: [Row?]

        var end: Int { first + rows.count }
    }

    /// How many rows the list has, fetched or not.
    public private(set) var count: Int
    /// The rows that were fetched, in ascending order. Spans don't overlap, and none ends beyond `count`.
    private var spans: [Span] = []

    /// Makes an empty list.
    package init() {
        self.init(count: 0)
    }

    package init(count: Int) {
        self.count = count
    }
}

extension RemoteRows: RandomAccessCollection {
    /// The index of the first row.
    public var startIndex: Int { 0 }
    /// The index after that of the last row.
    public var endIndex: Int { count }

    /// The row at an index. Nil if it hasn't been fetched, or the list has no such row.
    ///
    /// It takes time in proportion to the logarithm of the number of gaps between rows that were fetched.
    public subscript(index: Int) -> Row? {
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = (low + high) / 2
            if spans[middle].first <= index { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let span = spans[low - 1]
        let place = index - span.first
        return place < span.rows.count ? span.rows[place] : nil
    }
}

extension RemoteRows {
    /// Returns the index of the first fetched row that matches; nil if there is none.
    package func firstIndexHere(where isWanted: (Row) -> Bool) -> Int? {
        for span in spans {
            if let place = span.rows.firstIndex(where: { $0.map(isWanted) ?? false }) { return span.first + place }
        }
        return nil
    }

    /// Returns the smallest range with all rows of `range` that weren't fetched, within the list; nil if all were.
    package func gap(in range: Range<Int>) -> Range<Int>? {
        let range = range.clamped(to: 0..<count)
        var (place, gap) = (range.lowerBound, Range<Int>?.none)
        for span in spans {
            if span.first > place, place < range.upperBound {
                gap = (gap?.lowerBound ?? place)..<Swift.min(span.first, range.upperBound)
            }
            place = Swift.max(place, span.end)
        }
        if place < range.upperBound { gap = (gap?.lowerBound ?? place)..<range.upperBound }
        return gap
    }

    /// Returns the number of rows after the edits; nil if the edits don't fit the list.
    package func count(after edits: [RowsEdit]) -> Int? {
        var count = count
        for edit in edits {
            guard (0...count).contains(edit.at), (0...(count - edit.at)).contains(edit.removed), edit.inserted >= 0
            else {
                return nil
            }
            let (sum, isTooLarge) = (count - edit.removed).addingReportingOverflow(edit.inserted)
            guard !isTooLarge else { return nil }
            count = sum
        }
        return count
    }
}

// Changes.
extension RemoteRows {
    /// The length up to which adjacent spans are joined. It limits how many rows a change copies.
    private static var longestSpan: Int { 1_000 }

    /// Applies edits in order. Rows that they insert count as not fetched until `fill`.
    ///
    /// - Parameter edits: edits for which `count(after:)` isn't nil.
    package mutating func apply(_ edits: [RowsEdit]) {
        for edit in edits {
            cut(edit.at..<edit.at + edit.removed, shift: edit.inserted - edit.removed)
            count += edit.inserted - edit.removed
        }
        join()
    }

    /// Stores fetched rows from the index `first` on. Rows beyond the list's end are left out.
    package mutating func fill(_ first: Int, _ rows: [Row?]) {
        guard first >= 0, first < count, !rows.isEmpty else { return }
        let span = Span(first: first, rows: Array(rows.prefix(count - first)))
        cut(first..<span.end, shift: 0)
        spans.insert(span, at: spans.firstIndex { $0.first > first } ?? spans.count)
        join()
    }

    /// Drops rows far from a range if more than `bound` rows are kept.
    ///
    /// - Parameter bound: the most rows to keep; at least the length of the range.
    package mutating func keepNear(_ range: Range<Int>, bound: Int) {
        guard spans.reduce(0, { $0 + $1.rows.count }) > bound else { return }
        let spare = Swift.max(0, bound - range.count) / 2
        let range = range.clamped(to: 0..<count)
        cut(0..<Swift.max(0, range.lowerBound - spare), shift: 0)
        cut((count - range.upperBound < spare ? count : range.upperBound + spare)..<count, shift: 0)
    }

    /// Drops the rows of a range, and moves those behind it by `shift`.
    private mutating func cut(_ range: Range<Int>, shift: Int) {
        var left: [Span] = []
        for var span in spans {
            if span.end <= range.lowerBound {
                left.append(span)
            } else if span.first >= range.upperBound {
                span.first += shift
                left.append(span)
            } else {
                if span.first < range.lowerBound {
                    left.append(Span(first: span.first, rows: Array(span.rows.prefix(range.lowerBound - span.first))))
                }
                if span.end > range.upperBound {
                    let rows = Array(span.rows.suffix(span.end - range.upperBound))
                    left.append(Span(first: range.upperBound + shift, rows: rows))
                }
            }
        }
        spans = left
    }

    private mutating func join() {
        var joined: [Span] = []
        for span in spans {
            if let last = joined.last, last.end == span.first, last.rows.count + span.rows.count <= Self.longestSpan {
                joined[joined.count - 1].rows += span.rows
            } else {
                joined.append(span)
            }
        }
        spans = joined
    }
}

extension RemoteRows: Equatable where Row: Equatable {}
extension RemoteRows.Span: Equatable where Row: Equatable {}
