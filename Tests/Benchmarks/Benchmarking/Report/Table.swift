/// Rows as lines of text, in columns.
package struct Table {
    private let cells: [[String]]
    /// Columns of figures are aligned at the right.
    private let rightAligned: Set<Int>

    /// A row that names the same work as the one above leaves it out.
    package init(_ section: Section) {
        let hasTargets = section.rows.contains { $0.target != nil }
        let heading = ["work", "", section.subject, section.reference, "ratio", hasTargets ? "target" : "", ""]
        var cells = [heading]
        var last: String?
        for row in section.rows {
            cells.append([row.work == last ? "" : row.work] + Table.cells(row))
            last = row.work
        }
        self.init(cells, rightAligned: [2, 3, 4])
    }

    /// - Parameter cells: the first line is the heading.
    package init(_ cells: [[String]], rightAligned: Set<Int>) {
        self.cells = cells
        self.rightAligned = rightAligned
    }

    private static func cells(_ row: Row) -> [String] {
        switch row.state {
        case .failed(let reason): return ["failed: \(reason)"]
        case .absent(let reason): return [reason]
        case .measured: break
        }
        let verdict = row.isMet.map { $0 ? "met" : "missed" } ?? ""
        return [
            row.quantity.name, row.figure.map(row.quantity.text) ?? "–", row.reference.map(row.quantity.text) ?? "–",
            row.ratio.map { $0.text(decimals: 2) } ?? "–", row.target?.text(row.quantity) ?? "", verdict,
        ]
    }

    /// A line each.
    package var lines: [String] {
        // A sentence in the second place takes the rest of its line.
        let whole = cells.filter { $0.count > 2 }
        let widths = (0..<(cells.first?.count ?? 0)).map { column in
            let column = column == 0 ? cells.map { $0[0].count } : whole.map { $0[column].count }
            return column.max() ?? 0
        }
        return cells.map { line in
            var text = ""
            for (column, cell) in line.enumerated() {
                let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
                text += (rightAligned.contains(column) ? padding + cell : cell + padding) + "  "
            }
            while text.last == " " { text.removeLast() }
            return text
        }
    }
}
