/// The requests of one connection that are not answered yet: the only place that knows which ids are taken, and what their
/// answers wait for.
///
/// It lets go of nobody's work itself, and so nothing that ends with its last reference is called from in here.
package struct InFlight {
    /// What is known of a request but its id.
    package struct Request {
        let batch: Int?
        /// What its answer waits for, if that was noted.
        package fileprivate(set) var work: PendingWork?
    }

    /// So many are looked through, newest first, and only what comes beyond is hashed: a client that waits for its answers
    /// has few, and a request took 1,300 instructions of hashing where it takes 200 of looking.
    private static let fewCount = 8

    /// Beside what is known of them, so that looking for one copies nothing of the others.
    private var few: [RequestID] = []
    private var fewRequests: [Request] = []
    private var others: [RequestID: Request] = [:]

    package init() {}

    package var isEmpty: Bool { few.isEmpty && others.isEmpty }

    package var count: Int { few.count + others.count }

    package var calls: [Call] {
        zip(few, fewRequests).map { Call(id: $0, batch: $1.batch) } + others.map { Call(id: $0, batch: $1.batch) }
    }

    /// What they wait for, as far as it was noted.
    package var works: [PendingWork] { (fewRequests + others.values).compactMap(\.work) }

    package func contains(_ id: RequestID) -> Bool {
        few.contains(id) || (!others.isEmpty && others[id] != nil)
    }

    /// Takes the call's id; false when it is in flight already.
    package mutating func begin(_ call: Call) -> Bool {
        guard !contains(call.id) else { return false }
        if few.count < Self.fewCount {
            few.append(call.id)
            fewRequests.append(Request(batch: call.batch, work: nil))
        } else {
            others[call.id] = Request(batch: call.batch, work: nil)
        }
        return true
    }

    /// Notes what the answer to `id` waits for, unless that is known. Does nothing when it isn't in flight.
    package mutating func note(_ work: PendingWork, for id: RequestID) {
        if let place = few.lastIndex(of: id) {
            if fewRequests[place].work == nil { fewRequests[place].work = work }
        } else if !others.isEmpty, let index = others.index(forKey: id), others.values[index].work == nil {
            others.values[index].work = work
        }
    }

    /// What the answer to `id` waits for; nil when it isn't in flight, or nothing was noted.
    package func work(for id: RequestID) -> PendingWork? {
        if let place = few.lastIndex(of: id) { return fewRequests[place].work }
        return others.isEmpty ? nil : others[id]?.work
    }

    /// Gives `id` free; nil when it wasn't in flight, so that nothing is answered twice.
    package mutating func end(_ id: RequestID) -> Request? {
        guard let place = few.lastIndex(of: id) else {
            return others.isEmpty ? nil : others.removeValue(forKey: id)
        }
        few.remove(at: place)
        return fewRequests.remove(at: place)
    }
}
