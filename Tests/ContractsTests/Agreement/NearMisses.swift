import Contracts

/// All values that differ from one in one place: a member left out, another type, a number or a name that isn't known.
enum NearMisses {
    static func of(_ value: JSONTree) -> [JSONTree] {
        var found = others(than: value)
        switch value {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                found += of(element).map { other in
                    var elements = elements
                    elements[index] = other
                    return .array(elements)
                }
            }
        case .object(let members):
            for (index, member) in members.enumerated() {
                var rest = members
                rest.remove(at: index)
                found.append(.object(rest))
                found += of(member.value).map { other in
                    var members = members
                    members[index].value = other
                    return .object(members)
                }
            }
            found.append(.object(members + [JSONTree.Member("unheard of", .null)]))
        default: break
        }
        return found
    }

    private static func others(than value: JSONTree) -> [JSONTree] {
        let all: [JSONTree] = [
            .null, .boolean(true), .number("1"), .number("1.5"), .number("99999999999999999999"), .number("-300"),
            .string("nobody"), .array([]), .array([.null]), .object([]),
        ]
        return all.filter { $0 != value }
    }
}
