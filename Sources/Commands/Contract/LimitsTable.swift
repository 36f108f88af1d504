import Contracts
import Sessions

/// The table of limits in the reference, made from their declarations.
enum LimitsTable {
    static func text(_ documentation: Documentation) -> String {
        let rows = Mirror(reflecting: Limits()).children.compactMap { name, value -> [String]? in
            guard let name else { return nil }
            let comment = documentation.text(of: ["Sessions", "Limits", name])
            let told = Limit(named: name).map { words(for: $0.telling) } ?? ""
            return ["`\(name)`", words(for: value, of: name), comment ?? "", told]
        }
        return MarkdownTable.text(["limit", "default", "what it bounds", "who exceeds it is told"], rows)
    }

    private static func words(for telling: Limit.Telling) -> String {
        switch telling {
        case .error(.never): "`LimitExceeded`"
        case .error(.after(let milliseconds)): "`LimitExceeded`; try again after \(milliseconds) ms"
        case .error(.asItSays): "`LimitExceeded`, with the time after which to try again"
        case .otherwise(let words): words
        case .nothing: "nothing"
        }
    }

    private static func words(for value: Any, of name: String) -> String {
        switch value {
        case let duration as Duration where duration < .seconds(1): "\(Int(duration / .milliseconds(1))) ms"
        case let duration as Duration: "\(duration.components.seconds) s"
        case let bytes as Int where name.hasSuffix("Bytes") && bytes >= 1 << 20: "\(bytes >> 20) MiB"
        case let bytes as Int where name.hasSuffix("Bytes") && bytes >= 1 << 10: "\(bytes >> 10) KiB"
        case let count as Int where count >= 1_000: "\(count / 1_000),\(padded(count % 1_000))"
        default: "\(value)"
        }
    }

    private static func padded(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: 3 - digits.count) + digits
    }
}
