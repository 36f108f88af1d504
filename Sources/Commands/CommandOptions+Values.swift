import JSONRPC
import Serving

// Values that options of several commands take.

extension Duration {
    /// - Parameter text: seconds, more than none; "0.5" is half of one.
    init(seconds text: String) throws {
        guard let seconds = Double(text), seconds > 0, seconds <= 1e9 else {
            throw UsageError(message: "takes seconds, more than 0, not '\(text)'")
        }
        self = .seconds(seconds)
    }
}

extension Framing {
    init(option text: String) throws {
        switch text {
        case "headers": self = .headers
        case "lines": self = .lines
        default: throw UsageError(message: "takes headers or lines, not '\(text)'")
        }
    }
}

extension Log.Level {
    init(option text: String) throws {
        guard let level = Log.Level(rawValue: text) else {
            let known = Log.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(message: "takes one of \(known), not '\(text)'")
        }
        self = level
    }
}
