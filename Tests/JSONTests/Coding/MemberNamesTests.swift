import JSON
import TestSupport
import Testing

/// Names are kept as they were written: no other name may be written for one.
@Suite(.inTurn) struct MemberNamesTests {
    /// Names with what must be escaped, longer than what is kept, and hardly different.
    enum Key: String, CodingKey, CaseIterable {
        case a, b
        case quoted = "\"\\\n"
        case long = "a name of thirty and more bytes, which isn't kept"
        case composed = "\u{E9}"
        case decomposed = "e\u{301}"
        case kelvin = "\u{212A}"
        case letter = "K"
        case empty = ""
        case c, d, e, f, g, h, i, j, k, l, m, n

        var text: String {
            switch self {
            case .quoted: #""\"\\\n""#
            default: "\"\(rawValue)\""
            }
        }
    }

    struct Members: Encodable {
        let keys: [Key]
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for (index, key) in keys.enumerated() {
                switch index % 4 {
                case 0: try container.encode(index, forKey: key)
                case 1: try container.encode(true, forKey: key)
                case 2: try container.encodeNil(forKey: key)
                default: try container.encode([index], forKey: key)
                }
            }
        }

        var text: String {
            let members = keys.enumerated().map { index, key in
                "\(key.text):\(["\(index)", "true", "null", "[\(index)]"][index % 4])"
            }
            return "{\(members.joined(separator: ","))}"
        }
    }

    @Test func `each name is written, in whatever order and however often`() throws {
        let all = Key.allCases
        let orders: [[Key]] = [
            [], [.a], [.b, .a], [.a, .b], all, all.reversed(), [.kelvin], [.letter], [.composed], [.decomposed],
            [.a, .a],
            Array(all.dropFirst(7)), [.long, .empty, .quoted],
        ]
        for _ in 0..<2 {
            for keys in orders {
                let members = Members(keys: keys)
                #expect(try encoded(members) == members.text)
            }
            #expect(
                try encoded(orders.map(Members.init))
                    == "[\(orders.map { Members(keys: $0).text }.joined(separator: ","))]")
        }
    }

    /// A key type whose names are made anew each time, so that no two are the same in memory.
    struct MadeKey: CodingKey {
        let number: Int
        var stringValue: String { "a name that takes memory \(number)" }
        var intValue: Int? { nil }
        init(_ number: Int) { self.number = number }
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }

    struct MadeMembers: Encodable {
        let numbers: Range<Int>
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: MadeKey.self)
            for number in numbers { try container.encode(number, forKey: MadeKey(number)) }
        }
    }

    @Test func `names that come and go are written as they are`() throws {
        for start in 0..<50 {
            let members = (start..<(start + 3)).map { #""a name that takes memory \#($0)":\#($0)"# }
            #expect(try encoded(MadeMembers(numbers: start..<(start + 3))) == "{\(members.joined(separator: ","))}")
        }
    }

    @Test func `a name is taken back with the value that fails`() throws {
        struct Careful: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try? container.encode(Double.nan, forKey: .a)
                try container.encode(1.5, forKey: .b)
                try? container.encode([Double.nan], forKey: .c)
                try container.encode("x", forKey: .a)
            }
        }
        for _ in 0..<3 { #expect(try encoded(Careful()) == #"{"b":1.5,"a":"x"}"#) }
    }
}
