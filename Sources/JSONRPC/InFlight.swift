/// A request of the other side, which is owed exactly one answer.
package struct Call: Hashable, Sendable {
    package let id: RequestID
    /// The batch that its answer goes into; nil when it is answered on its own.
    package let batch: Int?

    package init(id: RequestID, batch: Int?) {
        self.id = id
        self.batch = batch
    }
}

/// The work that the answer to a request waits for. It can be given up.
package struct PendingWork {
    private let worker: any Worker
    /// The worker's own number for the work.
    private let number: Int
    /// Whether the work goes on when the connection that asked for it is lost.
    package let outlivesConnection: Bool

    package init(_ worker: any Worker, _ number: Int, outlivesConnection: Bool) {
        self.worker = worker
        self.number = number
        self.outlivesConnection = outlivesConnection
    }

    /// - Parameter cancel: gives the work up; it may be done already.
    package init(outlivesConnection: Bool, cancel: @escaping () -> Void) {
        self.init(CancelAction(cancel), 0, outlivesConnection: outlivesConnection)
    }

    /// Gives the work up. The request is answered all the same, once the worker has stopped.
    package func cancel() {
        worker.cancel(number)
    }

    /// An object that does the work that requests wait for. As it is a class, a note of it is only a reference.
    package protocol Worker: AnyObject {
        /// Gives up a piece of work, by the number that the worker gave it; it may be done already.
        func cancel(_ number: Int)
    }

    private final class CancelAction: Worker {
        private let body: () -> Void

        init(_ body: @escaping () -> Void) {
            self.body = body
        }

        func cancel(_ number: Int) {
            body()
        }
    }
}

/// The requests of one connection that are not answered yet, and the work that their answers wait for.
///
/// It drops no last reference to a worker: nothing is called from in here.
package struct InFlight {
    /// A request without its id.
    package struct Request {
        let batch: Int?
        /// The work that its answer waits for, if that was noted.
        package fileprivate(set) var work: PendingWork?
        /// A number that rises from one hashed request to the next.
        fileprivate var order = 0
    }

    /// How many requests are searched one by one, newest first; further ones are hashed. A client that waits for its answers
    /// has few.
    private static let fewCount = 8

    /// The oldest request, nearly always the only one, which needs no array. Its id is apart: a value as large as both together
    /// would be copied and released by way of its metadata, for each request.
    private var first: Request?
    private var firstID: RequestID?
    /// The ids of `fewRequests`, in the same order, apart so that a search copies no request. Empty where there is no `first`.
    private var few: [RequestID] = []
    private var fewRequests: [Request] = []
    private var others: [RequestID: Request] = [:]
    private var lastOrder = 0

    package init() {}

    package var isEmpty: Bool { first == nil && others.isEmpty }

    package var count: Int { (first == nil ? 0 : 1) + few.count + others.count }

    /// All calls: those that are searched first, then the hashed ones by age. A dictionary's own order differs from run to run.
    package var calls: [Call] { ordered.map { Call(id: $0.id, batch: $0.request.batch) } }

    /// The noted work of all calls, in the order of `calls`.
    package var works: [PendingWork] { ordered.compactMap(\.request.work) }

    private var ordered: [(id: RequestID, request: Request)] {
        let others = others.sorted { $0.value.order < $1.value.order }.map { (id: $0.key, request: $0.value) }
        return zip([firstID].compactMap(\.self) + few, [first].compactMap(\.self) + fewRequests)
            .map { (id: $0, request: $1) } + others
    }

    package func contains(_ id: RequestID) -> Bool {
        isFirst(id) || (!few.isEmpty && few.contains(id)) || (!others.isEmpty && others[id] != nil)
    }

    private func isFirst(_ id: RequestID) -> Bool {
        if let firstID { firstID == id } else { false }
    }

    /// Notes that a call is in flight. Returns false, and does nothing, when its id already is.
    package mutating func begin(_ call: Call) -> Bool {
        guard !contains(call.id) else { return false }
        let request = Request(batch: call.batch, work: nil)
        if first == nil {
            (firstID, first) = (call.id, request)
        } else if few.count < Self.fewCount {
            few.append(call.id)
            fewRequests.append(request)
        } else {
            lastOrder += 1
            others[call.id] = Request(batch: call.batch, work: nil, order: lastOrder)
        }
        return true
    }

    /// Notes the work that the answer to `id` waits for. Does nothing when some is noted already, or `id` isn't in flight.
    package mutating func note(_ work: PendingWork, for id: RequestID) {
        if isFirst(id) {
            if first?.work == nil { first?.work = work }
        } else if let place = few.lastIndex(of: id) {
            if fewRequests[place].work == nil { fewRequests[place].work = work }
        } else if !others.isEmpty, let index = others.index(forKey: id), others.values[index].work == nil {
            others.values[index].work = work
        }
    }

    /// Returns the work that the answer to `id` waits for; nil when `id` isn't in flight, or nothing was noted.
    package func work(for id: RequestID) -> PendingWork? {
        if isFirst(id) { return first?.work }
        if let place = few.lastIndex(of: id) { return fewRequests[place].work }
        return others.isEmpty ? nil : others[id]?.work
    }

    /// Ends the call with this id, which may then be used again.
    ///
    /// - Returns: false when `id` wasn't in flight, so that nothing is answered twice.
    package mutating func end(_ id: RequestID) -> Bool {
        if isFirst(id) {
            firstID = few.isEmpty ? nil : few.removeFirst()
            first = fewRequests.isEmpty ? nil : fewRequests.removeFirst()
            return true
        }
        guard let place = few.lastIndex(of: id) else {
            return !others.isEmpty && others.removeValue(forKey: id) != nil
        }
        few.remove(at: place)
        fewRequests.remove(at: place)
        return true
    }
}
