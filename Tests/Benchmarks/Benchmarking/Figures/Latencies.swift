/// How long each of many requests took.
package struct Latencies {
    private var nanoseconds: [UInt32] = []
    private var isSorted = true

    package init() {}

    package var count: Int { nanoseconds.count }

    /// Makes room, so that none has to be made while it is measured.
    package mutating func reserve(_ count: Int) {
        nanoseconds.reserveCapacity(count)
    }

    /// Longer ones than four seconds count as that.
    @inline(__always)
    package mutating func add(_ duration: Int) {
        nanoseconds.append(UInt32(clamping: duration))
        isSorted = false
    }

    /// In microseconds: the shortest that this share of all is no longer than; nil when there are none.
    package mutating func percentile(_ share: Double) -> Double? {
        if !isSorted { nanoseconds.sort() }
        isSorted = true
        guard !nanoseconds.isEmpty else { return nil }
        let rank = (share * Double(nanoseconds.count)).rounded(.up)
        return Double(nanoseconds[min(max(0, Int(rank) - 1), nanoseconds.count - 1)]) / 1_000
    }
}

extension Collection<Double> {
    /// The one in the middle, or between the two there; nil when there is none.
    package var median: Double? {
        guard !isEmpty else { return nil }
        let sorted = sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
