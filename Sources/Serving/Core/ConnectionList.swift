/// The open connections of a server by index. An index is given out again once its connection is gone.
///
/// Not a dictionary, whose first use would delay the first answer of the process.
struct ConnectionList {
    private var entries: [(connection: ConnectionHandle, owner: String)?] = []
    private var freeIndices: [Int] = []
    /// The connections of every owner but the first, by the owner's name. Empty until there is a second owner.
    private var counts: [String: Int] = [:]
    private var firstOwner: (name: String, count: Int)?

    var all: [ConnectionHandle] { entries.compactMap { $0?.connection } }
    var count: Int { entries.count - freeIndices.count }

    func count(of owner: String) -> Int {
        if let firstOwner, firstOwner.name == owner { return firstOwner.count }
        return counts.isEmpty ? 0 : counts[owner] ?? 0
    }

    mutating func add(_ connection: ConnectionHandle, of owner: String) -> Int {
        change(owner, by: 1)
        if let index = freeIndices.popLast() {
            entries[index] = (connection, owner)
            return index
        }
        entries.append((connection, owner))
        return entries.count - 1
    }

    private mutating func change(_ owner: String, by change: Int) {
        if firstOwner == nil { firstOwner = (owner, 0) }
        if firstOwner?.name == owner {
            firstOwner?.count += change
        } else {
            let count = (counts[owner] ?? 0) + change
            counts[owner] = count == 0 ? nil : count
        }
    }

    /// Counts the connection for another owner from now on.
    mutating func move(_ index: Int, to owner: String) {
        guard let (connection, before) = entries[index] else { return }
        change(before, by: -1)
        change(owner, by: 1)
        entries[index] = (connection, owner)
    }

    /// Removes a connection, so that its index is free.
    ///
    /// - Parameter index: the index that `add` has returned, and that was not removed since.
    mutating func remove(at index: Int) {
        if let owner = entries[index]?.owner { change(owner, by: -1) }
        entries[index] = nil
        freeIndices.append(index)
    }
}
