/// A registration was found ready. It may be gone by the time this is looked at: the token tells.
struct ReadyEvent {
    let token: RegistrationToken
    let readiness: Interest
}

/// What one wait has found ready, in memory that the next one uses again: an array would be checked and counted in each turn.
struct ReadyList: ~Copyable {
    private var memory: UnsafeMutableBufferPointer<ReadyEvent>
    private var count = 0

    init(capacity: Int) {
        memory = .allocate(capacity: max(capacity, 1))
    }

    deinit {
        memory.deallocate()
    }

    /// Until the list changes.
    var lent: UnsafeBufferPointer<ReadyEvent> { UnsafeBufferPointer(rebasing: memory[..<count]) }

    mutating func removeAll() {
        count = 0
    }

    mutating func append(_ event: ReadyEvent) {
        if count == memory.count { grow() }
        memory.initializeElement(at: count, to: event)
        count &+= 1
    }

    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<ReadyEvent>.allocate(capacity: memory.count * 2)
        _ = larger.moveInitialize(fromContentsOf: memory)
        memory.deallocate()
        memory = larger
    }
}
