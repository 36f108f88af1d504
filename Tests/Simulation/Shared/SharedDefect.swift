/// A fault that is put into the shipped code on purpose, so that a test shows that it is found.
enum SharedDefect: CaseIterable {
    /// The store takes commits of whoever had a scene once.
    case noFenceCheck
    /// A server that takes a scene has the number of the one before, which is all that the store looks at.
    case fencesDontRise
    /// A scene is given to whoever asks, although its server is there, and nothing keeps that one from storing more.
    case leaseIgnored
    /// The journal is told that a turn is stored, and it is stored then.
    case toldBeforeStored
    /// What sessions share isn't stored.
    case sharedForgotten
    /// The numbers of clients aren't stored.
    case clientsForgotten
    /// A session that is taken off the screen takes its host with it.
    case hostsForgotten
    /// A scene that is taken goes on in the epoch of before.
    case epochsForgotten

    /// It shows where the store loses commits, and there alone.
    var needsLoss: Bool { self == .epochsForgotten }

    /// From here on it is looked for: no earlier seed has found it.
    var firstSeed: Int {
        switch self {
        case .noFenceCheck, .fencesDontRise: 33
        case .hostsForgotten: 12
        case .epochsForgotten: 76
        case .leaseIgnored, .toldBeforeStored, .sharedForgotten, .clientsForgotten: 0
        }
    }

    /// - Parameter script: one of `RedisScript`.
    func edit(_ script: String) -> String {
        switch self {
        case .toldBeforeStored: script
        case .noFenceCheck: Self.unfenced(script)
        case .fencesDontRise:
            Self.unnumbered(
                script.replacingOccurrences("fence, number = fence + 1, 0", "fence = math.max(fence, 1)")
                    .replacingOccurrences("stored[1] ~= ARGV[1] or ", ""))
        case .leaseIgnored:
            Self.unfenced(script).replacingOccurrences(
                "if lease and holder ~= ARGV[3] then return {'held', lease} end", "")
        case .sharedForgotten: script.replacingOccurrences("'shared:' .. take(), take()", "'other:' .. take(), take()")
        case .clientsForgotten:
            script.replacingOccurrences("session, 'client:' .. name, number", "session, 'other:' .. name, number")
        case .epochsForgotten: script.replacingOccurrences("if begins and", "if false and")
        case .hostsForgotten:
            script.replacingOccurrences(
                "removeSession(current, key, place)\n    end",
                "removeSession(current, key, place)\n        removeScene(current)\n    end")
        }
    }

    private static func unfenced(_ script: String) -> String {
        unnumbered(script).replacingOccurrences("then return {'other'} end", "then return nil end")
    }

    private static func unnumbered(_ script: String) -> String {
        script.replacingOccurrences("then return {'behind'} end", "then return nil end")
            .replacingOccurrences("refuse('the numbers of a session go back')", "skip(0)")
            .replacingOccurrences("refuse('an event has a number of another')", "skip(0)")
    }
}

extension String {
    fileprivate func replacingOccurrences(_ part: String, _ other: String) -> String {
        split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
    }
}
