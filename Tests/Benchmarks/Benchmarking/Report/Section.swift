/// Rows that compare the same two.
package struct Section {
    /// What is measured, and what it is measured against.
    package let subject: String
    package let reference: String
    package let rows: [Row]

    package init(_ subject: String, against reference: String, rows: [Row]) {
        self.subject = subject
        self.reference = reference
        self.rows = rows
    }
}
