/// The lives of a durable session, by names that tell its histories apart where numbers alone don't.
///
/// A store may lose what it has acknowledged, as when a replica that was behind becomes the master. The session then goes on
/// from an older number, and gives the numbers after it out again, for other events. So each life has a name, its epoch, and
/// the number at which it began. What a client has seen in an earlier life, up to some number, is a part of this history if no
/// later life began before that number.
package struct SessionEpochs: Sendable, Equatable {
    package struct Epoch: Sendable, Equatable {
        package let name: String
        /// The newest number when the life began.
        package let begin: Int
    }

    /// The epoch of a session's first life. Sessions that nothing is stored of have no other.
    package static let first = "1"
    /// How many lives are kept, at about 20 bytes each in the store. A client that was away for more lives gets a snapshot.
    package static let maximumCount = 64

    /// The epochs, oldest first; empty in the first life.
    private var epochs: [Epoch] = []

    package init() {}

    package var current: String { epochs.last?.name ?? Self.first }

    /// Begins a life.
    ///
    /// - Parameters:
    ///   - name: made at random, so that no other life of the session ever has it.
    ///   - newest: the newest number that is stored.
    package mutating func begin(_ name: String, at newest: Int) {
        if epochs.isEmpty { epochs = [Epoch(name: Self.first, begin: 0)] }
        epochs.append(Epoch(name: name, begin: newest))
        if epochs.count > Self.maximumCount { epochs.removeFirst(epochs.count - Self.maximumCount) }
    }

    /// Whether this history has the events that were told up to `number` in an epoch.
    ///
    /// - Parameter epoch: nil where the client doesn't know it, as one with an older protocol.
    package func has(_ number: Int, of epoch: String?) -> Bool {
        guard let epoch, epoch != current else { return true }
        guard let index = epochs.firstIndex(where: { $0.name == epoch }) else { return false }
        return epochs[(index + 1)...].allSatisfy { number <= $0.begin }
    }
}

// As it is stored: "1:0 3w5e11264sg0:17".
extension SessionEpochs {
    /// - Parameter text: empty in the first life. A part that isn't an epoch is left out, and a client of that epoch gets a
    ///   snapshot.
    package init(text: String) {
        epochs = text.split(separator: " ").compactMap { part in
            guard let colon = part.lastIndex(of: ":"), let begin = Int(part[part.index(after: colon)...]) else {
                return nil
            }
            return Epoch(name: String(part[..<colon]), begin: begin)
        }
    }

    package var text: String { epochs.map { "\($0.name):\($0.begin)" }.joined(separator: " ") }

    /// A name for a new epoch.
    package static func randomName() -> String { String(UInt64.random(in: 0 ... .max), radix: 36) }
}
