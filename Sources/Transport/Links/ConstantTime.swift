extension [UInt8] {
    /// Whether `given` are the same bytes. The time that it takes depends on the length of this secret alone, so that a
    /// guess can't be improved byte by byte.
    package func matchesInConstantTime(_ given: [UInt8]) -> Bool {
        var difference = given.count ^ count
        for (index, byte) in enumerated() {
            difference |= Int(byte ^ (index < given.count ? given[index] : 0))
        }
        return difference == 0
    }
}
