import JSON
import Synchronization
import ViewModels

/// What a `Shared` calls in its session.
final class SessionLine: SharedLine {
    private struct Reference { weak var session: Session? }

    private let index: Int
    private let reference: Mutex<Reference>

    init(of session: Session, index: Int) {
        self.index = index
        reference = Mutex(Reference(session: session))
    }

    private func live() throws -> (Session, SharedPart) {
        let session = reference.withLock { $0.session }
        guard let session, let part = session.state.withLock({ $0.shared?.parts.element(at: index) }) else {
            throw SessionError.ended
        }
        return (session, part)
    }

    func send(_ event: some Encodable & Sendable) throws {
        let (session, _) = try live()
        let bytes = try EventEncoder().encode(event)
        guard bytes.count <= session.limits.messageBytes / 2 else {
            throw SessionError.limitExceeded(
                limit: "messageBytes", message: "the event has \(bytes.count) bytes, which no message may have")
        }
        try SharedRunner(session: session).send(bytes, to: index)
    }

    func snapshot<Event: Decodable & Sendable>(of type: Event.Type) async throws -> [Event] {
        let (_, part) = try live()
        let text = try await withCheckedThrowingContinuation { continuation in
            part.connection.makeSnapshot { continuation.resume(with: $0) }
        }
        return try text.withValue { events in
            var decoded: [Event] = []
            var failure: (any Error)?
            events.forEachElement { event in
                let isOfList = event.member("kind")?.string().map { part.lists.contains($0) } ?? false
                guard failure == nil, !isOfList else { return }
                do { decoded.append(try EventDecoder().decode(type, from: event)) } catch { failure = error }
            }
            if let failure { throw failure }
            return decoded
        }
    }

    func rows<Row: Decodable & Sendable>(of list: String, in range: Range<Int>) async throws -> [Row] {
        let (_, part) = try live()
        let request = RowsRequest(list: list, first: max(0, range.lowerBound), count: range.count)
        let text = try await withCheckedThrowingContinuation { continuation in
            part.connection.read(request) { continuation.resume(with: $0) }
        }
        return try text.withValue { result in
            guard let rows = result.member("rows") else { return [] }
            return try ValueDecoder().decode([Row].self, from: rows)
        }
    }
}

extension Array {
    fileprivate func element(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
