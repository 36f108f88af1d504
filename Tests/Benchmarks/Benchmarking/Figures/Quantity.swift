/// Something that is measured, and how its figures are written.
package struct Quantity: Hashable, Sendable {
    /// What a figure counts.
    package enum Unit: String, Sendable {
        case perSecond = "/s"
        case nanoseconds = "ns"
        case microseconds = "µs"
        case milliseconds = "ms"
        case kibibytes = "KiB"
        case mebibytes = "MiB"
        case megabytesPerSecond = "MB/s"
        case count = ""
    }

    package let name: String
    package let unit: Unit

    package init(_ name: String, _ unit: Unit) {
        self.name = name
        self.unit = unit
    }

    package static let events = Quantity("events", .perSecond)
    package static let processorTime = Quantity("CPU per event", .microseconds)
    package static let p50 = Quantity("p50", .microseconds)
    package static let p99 = Quantity("p99", .microseconds)
    package static let peakMemory = Quantity("peak memory", .mebibytes)
    package static let connectionMemory = Quantity("memory each", .kibibytes)
    package static let answered = Quantity("answered", .count)

    /// A figure with its unit: `26.1 µs`, `348,201/s`.
    package func text(_ figure: Double) -> String {
        if unit == .nanoseconds && figure >= 1_000 { return Quantity(name, .microseconds).text(figure / 1_000) }
        if unit == .microseconds && figure >= 1_000 { return Quantity(name, .milliseconds).text(figure / 1_000) }
        let decimals = unit == .perSecond || unit == .count ? 0 : figure.magnitude < 10 ? 2 : 1
        let separator = unit == .perSecond || unit == .count ? "" : " "
        return figure.text(decimals: decimals) + separator + unit.rawValue
    }
}
