extension [UInt8] {
    /// Returns whether `given` has the same bytes. The time depends only on the length of this secret, so that a guess can't
    /// be improved byte by byte.
    package func matchesInConstantTime(_ given: [UInt8]) -> Bool {
        var difference = given.count ^ count
        for (index, byte) in enumerated() {
            difference |= Int(byte ^ (index < given.count ? given[index] : 0))
        }
        return difference == 0
    }
}
