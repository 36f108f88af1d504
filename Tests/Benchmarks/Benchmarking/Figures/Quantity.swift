/// Something that is measured, and how its figures are written.
package struct Quantity: Hashable, Sendable {
    /// The unit of a figure.
    package enum Unit: String, Sendable {
        case perSecond = "/s"
        case nanoseconds = "ns"
        case microseconds = "µs"
        case milliseconds = "ms"
        case bytes = "bytes"
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

extension Double {
    /// With so many digits behind the point, and a comma between each three in front of it.
    package func text(decimals: Int) -> String {
        guard isFinite, magnitude < 1e15 else { return description }
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = Int((magnitude * scale).rounded())
        let (whole, fraction) = scaled.quotientAndRemainder(dividingBy: Int(scale))
        var text = sign == .minus && scaled != 0 ? "-" : ""
        let digits = String(whole)
        for (place, digit) in digits.enumerated() {
            if place > 0 && (digits.count - place) % 3 == 0 { text += "," }
            text.append(digit)
        }
        guard decimals > 0 else { return text }
        let places = String(fraction)
        return text + "." + String(repeating: "0", count: decimals - places.count) + places
    }
}

/// The target of a figure of the server.
package enum Target: Equatable, Sendable {
    /// Against the limit's figure in the same run.
    case atMostOfLimit(Double)
    case atLeastOfLimit(Double)
    /// Against the figure in the same place of another program or type, which is named.
    case atMostOfReference(String, Double)
    /// In the figure's own unit.
    case atMost(Double)
    case atLeast(Double)
    /// Against another figure of the server in the same run.
    case atMostOf(Quantity, Double)

    /// Whether it is met; nil where there is nothing to compare with.
    ///
    /// - Parameter other: another figure of the server.
    package func isMet(_ figure: Double, limit: Double?, other: (Quantity) -> Double?) -> Bool? {
        switch self {
        case .atMostOfLimit(let factor), .atMostOfReference(_, let factor): limit.map { figure <= factor * $0 }
        case .atLeastOfLimit(let factor): limit.map { figure >= factor * $0 }
        case .atMost(let bound): figure <= bound
        case .atLeast(let bound): figure >= bound
        case .atMostOf(let quantity, let factor): other(quantity).map { figure <= factor * $0 }
        }
    }

    /// Its text in the table.
    package func text(_ quantity: Quantity) -> String {
        switch self {
        case .atMostOfLimit(let factor): "≤ \(Target.text(factor)) × limit"
        case .atLeastOfLimit(let factor): "≥ \(Target.text(factor)) × limit"
        case .atMostOfReference(let name, let factor): "≤ \(Target.text(factor)) × \(name)"
        case .atMost(let bound): "≤ \(quantity.text(bound))"
        case .atLeast(let bound): "≥ \(quantity.text(bound))"
        case .atMostOf(let other, let factor): "≤ \(Target.text(factor)) × \(other.name)"
        }
    }

    private static func text(_ factor: Double) -> String {
        factor.text(decimals: factor == factor.rounded() ? 0 : 1)
    }
}
