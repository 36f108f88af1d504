/// What a figure of the server should be.
package enum Target: Equatable, Sendable {
    /// Against the limit's figure in the same run.
    case atMostOfLimit(Double)
    case atLeastOfLimit(Double)
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
        case .atMostOfLimit(let factor): limit.map { figure <= factor * $0 }
        case .atLeastOfLimit(let factor): limit.map { figure >= factor * $0 }
        case .atMost(let bound): figure <= bound
        case .atLeast(let bound): figure >= bound
        case .atMostOf(let quantity, let factor): other(quantity).map { figure <= factor * $0 }
        }
    }

    /// As it stands in the table.
    package func text(_ quantity: Quantity) -> String {
        switch self {
        case .atMostOfLimit(let factor): "≤ \(Target.text(factor)) × limit"
        case .atLeastOfLimit(let factor): "≥ \(Target.text(factor)) × limit"
        case .atMost(let bound): "≤ \(quantity.text(bound))"
        case .atLeast(let bound): "≥ \(quantity.text(bound))"
        case .atMostOf(let other, let factor): "≤ \(Target.text(factor)) × \(other.name)"
        }
    }

    private static func text(_ factor: Double) -> String {
        factor.text(decimals: factor == factor.rounded() ? 0 : 1)
    }
}
