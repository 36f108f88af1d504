/// A step of a `codingPath`.
enum PathKey: CodingKey, Hashable {
    case member(String)
    case index(Int)

    init(stringValue: String) { self = .member(stringValue) }

    init(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .member(let name): name
        case .index(let index): "\(index)"
        }
    }

    var intValue: Int? {
        switch self {
        case .member: nil
        case .index(let index): index
        }
    }
}

extension JSONPointer {
    /// Keys name members by their `stringValue`: a key's number, which an enum of integers has, isn't on the wire.
    func appending(_ path: [any CodingKey]) -> JSONPointer {
        path.reduce(self) { $0.appending($1.stringValue) }
    }
}
