/// One order of the list.
public struct Order: Codable, Sendable, Equatable {
    /// Counts from 0.
    public var id: Int
    /// "Order #7".
    public var name: String

    /// An order as its provider knows it.
    public init(id: Int, name: String) {
        self.id = id
        self.name = name
    }
}
