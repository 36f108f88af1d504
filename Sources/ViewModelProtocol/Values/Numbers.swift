import JSON

/// An integer with bounds that only its schema has: what is outside of them is refused where it is used.
///
/// It doesn't refine `SchemaProviding`: the compiler's symbol graphs stop at protocols that refine another module's.
package protocol BoundedInteger: RawRepresentable, Codable, Hashable, Sendable, ExpressibleByIntegerLiteral
where RawValue == Int {
    static var bounds: ClosedRange<Int> { get }
    init(rawValue: Int)
}

extension BoundedInteger {
    package init(_ rawValue: Int) { self.init(rawValue: rawValue) }

    package init(integerLiteral value: Int) { self.init(rawValue: value) }

    package static var schema: String {
        #"{"type":"integer","minimum":\#(bounds.lowerBound),"maximum":\#(bounds.upperBound)}"#
    }

    package static var example: Self { Self(rawValue: bounds.lowerBound) }
}

/// A view's number on its connection: 1, 2, 3, …, in the order of attachment.
package struct ViewNumber: BoundedInteger, SchemaProviding {
    package var rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let bounds = 1...Int.max
}

/// An event's number in its session: 1, 2, 3, ….
package struct EventNumber: BoundedInteger, SchemaProviding {
    package var rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let bounds = 1...Int.max
}

/// The number of an event of a session; 0 before the first.
package struct SequenceNumber: BoundedInteger, SchemaProviding {
    package var rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let bounds = 0...Int.max
}

/// How many there are.
package struct Count: BoundedInteger, SchemaProviding {
    package var rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let bounds = 0...Int.max
}

/// How many there are; never 0.
package struct PositiveCount: BoundedInteger, SchemaProviding {
    package var rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let bounds = 1...Int.max
}
