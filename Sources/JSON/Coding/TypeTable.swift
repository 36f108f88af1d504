/// What was found out about types, by their address. There are as many as the program has types that it codes, so nothing
/// is ever taken out.
struct TypeTable {
    /// Nil for a type that is coded by its own code.
    typealias Plan = AnyObject?

    private struct Spot {
        var type: UInt = 0
        var plan: Plan = nil
    }

    private struct Storage {
        var spots: UnsafeMutablePointer<Spot>
        /// A power of two.
        var capacity: Int
        var count = 0
    }

    private let storage: UnsafeMutablePointer<Storage>

    init() {
        storage = .allocate(capacity: 1)
        storage.initialize(to: Storage(spots: Self.spots(32), capacity: 32))
    }

    func deallocate() {
        storage.pointee.spots.deinitialize(count: storage.pointee.capacity)
        storage.pointee.spots.deallocate()
        storage.deallocate()
    }

    /// Nil where nothing is known of the type.
    @inline(__always)
    func plan(of type: any Any.Type) -> Plan? {
        let tag = UInt(bitPattern: ObjectIdentifier(type))
        let spots = storage.pointee.spots
        var spot = firstSpot(tag)
        while true {
            if spots[spot].type == tag { return .some(spots[spot].plan) }
            if spots[spot].type == 0 { return nil }
            spot = (spot &+ 1) & (storage.pointee.capacity &- 1)
        }
    }

    func keep(_ plan: Plan, of type: any Any.Type) {
        if storage.pointee.count * 2 >= storage.pointee.capacity { grow() }
        insert(Spot(type: UInt(bitPattern: ObjectIdentifier(type)), plan: plan))
        storage.pointee.count += 1
    }

    private func insert(_ new: Spot) {
        var spot = firstSpot(new.type)
        while storage.pointee.spots[spot].type != 0 { spot = (spot + 1) & (storage.pointee.capacity - 1) }
        storage.pointee.spots[spot] = new
    }

    private func grow() {
        let (old, capacity) = (storage.pointee.spots, storage.pointee.capacity)
        storage.pointee.spots = Self.spots(capacity * 2)
        storage.pointee.capacity = capacity * 2
        for spot in 0..<capacity where old[spot].type != 0 { insert(old[spot]) }
        old.deinitialize(count: capacity)
        old.deallocate()
    }

    private static func spots(_ count: Int) -> UnsafeMutablePointer<Spot> {
        let spots = UnsafeMutablePointer<Spot>.allocate(capacity: count)
        spots.initialize(repeating: Spot(), count: count)
        return spots
    }

    private func firstSpot(_ tag: UInt) -> Int {
        Int(truncatingIfNeeded: (UInt64(tag) &* 0x9E37_79B9_7F4A_7C15) >> 32) & (storage.pointee.capacity &- 1)
    }
}
