import Contracts
import FoundationEssentials
import JSON
import ViewModels

/// Types as users write them, in all the ways that the compiler encodes.
enum Plain {
    enum Event: Codable, Equatable {
        case touch
        case select(index: Int)
        case title(String)
        case moved(Int8, UInt8)
        case note(String, isSaved: Bool)
        case maybe(Double?, label: String?)
    }

    enum Words: String, Codable {
        case left
        case right = "to the right"
    }

    enum Renamed: Codable {
        case touch
        case select(index: Int)
        case `default`

        enum CodingKeys: String, CodingKey {
            case touch = "tap"
            case select
            case `default`
        }

        enum SelectCodingKeys: String, CodingKey {
            case index = "row"
        }
    }

    enum One: Codable {
        case only
    }

    enum Labelled: Codable {
        case clash(kind: String)
    }

    enum Outgoing: Encodable {
        case one
    }

    enum Numbers: Int, Codable {
        case one = 1
    }
}

struct Leaf: Codable, Equatable {
    var id: Int
    var name: String?
    private var secret = false

    init(id: Int, name: String?) {
        self.id = id
        self.name = name
    }
}

struct RenamedMembers: Codable {
    var id: Int
    var kept = 0
    var isOn: Bool

    enum CodingKeys: String, CodingKey {
        case isOn = "is_on"
        case id
    }
}

struct Scalars: Codable {
    var bool: Bool
    var float: Float
    var decimal: Decimal
    var date: Date
    var data: Data
    var url: URL
    var uuid: UUID
    var unsigned: UInt64
    var short: Int16
}

struct Containers: Codable {
    var list: [Leaf]
    var holes: [Int?]
    var set: Set<String>
    var names: [String: Leaf]
    var numbers: [Int: Bool]
    var nested: [String: [UInt8]]?
}

enum Level: Int, Codable {
    case low = 1
    case high = 10
}

enum Shape: Codable, Equatable {
    case point
    case circle(radius: Double)
    case polygon([Leaf], Level?)
}

extension Level: Equatable {}

struct Page<Element: Codable>: Codable {
    var items: [Element]
    var next: Int?
}

struct OrderID: RawRepresentable, Codable, Hashable {
    var rawValue: Int
}

final class Tree: Codable {
    let value: OrderID
    let left: Tree?
    let children: [Tree]
}

indirect enum Expression: Codable {
    case sum(Expression, Expression)
    case number(Int)
}

@propertyWrapper struct Clamped: Codable {
    var wrappedValue: Int
}

struct Wrapped: Codable {
    @Clamped var level: Int
}

enum Same {
    struct Leaf: Codable {
        var isGreen: Bool
    }

    struct Both: Codable {
        var here: Same.Leaf
        var there: ContractsTests.Leaf
    }
}

struct Empty: Codable {}

struct Money: SchemaProviding, Codable {
    var cents: Int

    static let schema = #"{ "type": "string", "pattern": "^[0-9]+$" }"#
    static let example = Money(cents: 1)

    init(cents: Int) { self.cents = cents }

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let cents = Int(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no number"))
        }
        self.cents = cents
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(cents)")
    }
}

struct Price: Codable {
    var amount: Money
}

enum Typed: Codable, ScheduledEvent {
    case query(String)
    case preview(Int)
    case select(index: Int)
    case accept

    var schedule: EventSchedule {
        switch self {
        case .query: .superseding(debounce: .nanoseconds(50_000_001))
        case .preview: .superseding(waits: false)
        case .select: .independent
        case .accept: .inOrder
        }
    }
}

enum TypedWords: String, Codable, ScheduledEvent {
    case left
    case right = "to the right"

    var schedule: EventSchedule { self == .left ? .independent : .inOrder }
}
