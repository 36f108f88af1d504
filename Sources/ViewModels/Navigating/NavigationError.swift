/// Why a view model can't be shown.
public enum NavigationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Nobody knows how to show a view model of this type.
    case notRegistered(String)
    /// What it would stand on is gone.
    case ended
    /// So many are on screen already.
    case tooMany(Int)

    /// What to do about it.
    public var description: String {
        switch self {
        case .notRegistered(let type): "\(type) can't be shown: register it, as registry.add(\"name\", \(type).self)"
        case .ended: "what it would be shown on has ended"
        case .tooMany(let count): "\(count) view models are on screen; take some off before others are shown"
        }
    }
}
