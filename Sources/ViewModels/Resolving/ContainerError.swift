/// Why a container can't make something. It is mostly a mistake in the program, which the description names.
public enum ContainerError: Error, Sendable, Equatable {
    /// The type can't make itself, and no closure is registered for it.
    case notRegistered(String)
    /// Types that need each other. Each needs the next one to be made, and the last is the first again.
    case cycle([String])
    /// More than 100 types of which each needs the next one to be made. The outermost is the first.
    case tooDeep([String])
    /// The container is gone, together with its session or its other owner.
    case ended

    /// The error for too many makings inside each other, outermost first: a cycle where a type occurs twice.
    static func endless(_ types: [any Any.Type]) -> ContainerError {
        let ids = types.map { ObjectIdentifier($0) }
        for last in ids.indices.reversed() {
            guard let first = ids[..<last].lastIndex(of: ids[last]) else { continue }
            return .cycle(types[first...last].map { "\($0)" })
        }
        return .tooDeep(types.map { "\($0)" })
    }
}

extension ContainerError: CustomStringConvertible {
    /// The mistake, and how to correct it.
    public var description: String {
        switch self {
        case .notRegistered(let type):
            """
            nothing says how to make \(type); call register(_:make:) for it, on this container or one around it, before \
            anyone asks for it
            """
        case .cycle(let types):
            "\(Self.chain(types)); let one of them ask for the other later, when it is made"
        case .tooDeep(let types):
            "\(Self.chain(Array(types.prefix(5)))), and so on, \(types.count) deep; let one of them ask later, when it is made"
        case .ended:
            "the container is gone; keep it for as long as what it has made uses it"
        }
    }

    /// "A needs B, which needs C".
    private static func chain(_ types: [String]) -> String {
        guard let first = types.first else { return "" }
        return types.count < 2 ? first : "\(first) needs " + types.dropFirst().joined(separator: ", which needs ")
    }
}
