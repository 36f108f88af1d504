/// Keyed containers that were given out before, to be given out again.
///
/// A new one asks the runtime for five generic types and allocates: 1,300 instructions, which was a third of the cost of
/// encoding a row; to give one out again takes 100. That is possible because a container of this module holds nothing but
/// a reference to its place, and the place can be changed once nobody else holds the container: `take` makes sure of it,
/// so that a container somebody has kept stays what it was.
///
/// A reference that is copied freely; whoever made it must call `deallocate` once.
struct ContainerShelf<Place: ContainerPlace> {
    private static var spotCount: Int { 64 }
    /// Tried one after the other, beginning with one that the key type and use tell. That many containers of the same
    /// type can be in use at the same time, as of a type within itself.
    private static var triedSpots: Int { 16 }

    /// Of each spot: what its container is for. 0 where there is none, and nothing in `containers`.
    private let tags: UnsafeMutablePointer<UInt>
    private let containers: UnsafeMutablePointer<KeptContainer<Place>>
    /// A bit for each spot that gave out its container since `clear`.
    private let used: UnsafeMutablePointer<UInt64>

    init() {
        tags = .allocate(capacity: Self.spotCount)
        tags.initialize(repeating: 0, count: Self.spotCount)
        containers = .allocate(capacity: Self.spotCount)
        used = .allocate(capacity: 1)
        used.initialize(to: 0)
    }

    func deallocate() {
        for spot in 0..<Self.spotCount { empty(spot) }
        tags.deallocate()
        containers.deallocate()
        used.deallocate()
    }

    /// A container that nobody else has now; nil where there is none.
    @inline(__always)
    func take(_ key: any Any.Type, for use: ContainerUse) -> UnsafePointer<KeptContainer<Place>>? {
        let tag = Self.tag(key, use)
        var spot = Self.firstSpot(tag)
        for _ in 0..<Self.triedSpots {
            if tags[spot] == tag, containers[spot].isUnused {
                used.pointee |= 1 &<< UInt64(spot)
                return UnsafePointer(containers + spot)
            }
            if tags[spot] == 0 { return nil }
            spot = (spot &+ 1) % Self.spotCount
        }
        return nil
    }

    /// False where there is no room for it.
    func keep(_ container: KeptContainer<Place>, _ key: any Any.Type, for use: ContainerUse) -> Bool {
        let tag = Self.tag(key, use)
        let first = Self.firstSpot(tag)
        let tried = (first..<(first + Self.triedSpots)).lazy.map { $0 % Self.spotCount }
        guard let spot = tried.first(where: { tags[$0] == 0 }) ?? tried.first(where: { containers[$0].isUnused }) else {
            return false
        }
        empty(spot)
        (containers + spot).initialize(to: container)
        tags[spot] = tag
        used.pointee |= 1 &<< UInt64(spot)
        return true
    }

    /// Lets go of what somebody has kept: its place is nowhere from now on.
    func clear() {
        while used.pointee != 0 {
            let spot = used.pointee.trailingZeroBitCount
            used.pointee &= used.pointee &- 1
            guard tags[spot] != 0, !containers[spot].isUnused else { continue }
            containers[spot].place.leave()
            empty(spot)
        }
    }

    private func empty(_ spot: Int) {
        guard tags[spot] != 0 else { return }
        tags[spot] = 0
        (containers + spot).deinitialize(count: 1)
    }

    /// An address of metadata is a multiple of eight.
    private static func tag(_ key: any Any.Type, _ use: ContainerUse) -> UInt {
        UInt(bitPattern: ObjectIdentifier(key)) | use.rawValue
    }

    private static func firstSpot(_ tag: UInt) -> Int {
        Int(truncatingIfNeeded: (UInt64(tag) &* 0x9E37_79B9_7F4A_7C15) >> 58)
    }
}
