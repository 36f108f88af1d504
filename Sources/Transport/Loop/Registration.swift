/// Identifies a registration for as long as the loop runs: a place in the loop's table, and the place's generation.
///
/// A place or a descriptor's number may be reused within one turn, while events for its earlier owner still wait. The
/// generation distinguishes the owners.
struct RegistrationToken: Hashable {
    let place: UInt32
    let generation: UInt32

    init(place: UInt32, generation: UInt32) {
        self.place = place
        self.generation = generation
    }

    /// Makes the token from the number that the kernel hands back.
    init(rawValue: UInt64) {
        self.init(place: UInt32(truncatingIfNeeded: rawValue), generation: UInt32(truncatingIfNeeded: rawValue >> 32))
    }

    var rawValue: UInt64 { UInt64(generation) << 32 | UInt64(place) }
}

/// An object that a loop retains and calls: a stream, a listener, a watcher.
protocol Registrant: AnyObject {
    /// Takes note that the descriptor is ready for part of its interest. Called at most once a turn for each registration.
    func didBecomeReady(_ readiness: Interest)
    /// Closes the object's descriptors and withdraws its registrations, as the loop ends. Called once, on the loop.
    func loopWillEnd()
}

/// The loop's table of registrations; confined to the loop.
struct RegistrationTable {
    struct Entry {
        var generation: UInt32
        var interest: Interest
        /// The descriptor; -1 for an object without one, which is only retained, and told when the loop ends.
        var descriptor: Int32
        var registrant: (any Registrant)?
    }

    private var entries: [Entry] = []
    private var freePlaces: [UInt32] = []

    mutating func add(_ registrant: any Registrant, descriptor: Int32) -> RegistrationToken {
        if let place = freePlaces.popLast() {
            entries[Int(place)].descriptor = descriptor
            entries[Int(place)].interest = []
            entries[Int(place)].registrant = registrant
            return RegistrationToken(place: place, generation: entries[Int(place)].generation)
        }
        entries.append(Entry(generation: 0, interest: [], descriptor: descriptor, registrant: registrant))
        return RegistrationToken(place: UInt32(entries.count - 1), generation: 0)
    }

    /// Returns the registration's entry; nil when it was withdrawn.
    subscript(token: RegistrationToken) -> Entry? {
        guard token.place < entries.count, entries[Int(token.place)].generation == token.generation else { return nil }
        return entries[Int(token.place)]
    }

    mutating func setInterest(_ interest: Interest, of token: RegistrationToken) {
        guard self[token] != nil else { return }
        entries[Int(token.place)].interest = interest
    }

    /// Ends a registration. Returns the registrant, so that it is released outside of the table, as its `deinit` may run any
    /// code.
    mutating func remove(_ token: RegistrationToken) -> (any Registrant)? {
        guard let registrant = self[token]?.registrant else { return nil }
        entries[Int(token.place)].registrant = nil
        entries[Int(token.place)].generation &+= 1
        freePlaces.append(token.place)
        return registrant
    }

    var registrants: [any Registrant] { entries.compactMap(\.registrant) }
}
