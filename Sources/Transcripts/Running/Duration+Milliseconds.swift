extension Duration {
    /// Rounded down; the largest number for what is too long.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflows ? .max : Int(clamping: product &+ attoseconds / 1_000_000_000_000_000)
    }
}
