import JSON
import JSONRPC
import Sessions
import ViewModelProtocol

extension Connection {
    /// Reads rows of a view's list. The answer is sent behind the events up to the state that the rows are of.
    func readRows(_ params: SessionRows.Params, _ reply: Reply<SessionRows>) throws(RPCError) {
        let number = params.session.rawValue
        _ = try views.view(number)
        guard rowRequests < core.limits.rowRequests else {
            let message = "\(core.limits.rowRequests) requests for rows wait; ask again when they are answered"
            throw .limitExceeded("rowRequests", message)
        }
        if params.first.rawValue < 0 { throw .invalidParams(at: Params.path("first"), "is never negative") }
        if params.count.rawValue < 0 { throw .invalidParams(at: Params.path("count"), "is never negative") }
        let request = RowsRequest(
            list: params.list, first: params.first.rawValue, count: min(params.count.rawValue, core.limits.rows))
        rowRequests += 1
        views.unfinishedJobs += 1
        let reading = RowsReading()
        peer.note(PendingWork(outlivesConnection: false) { reading.cancel() }, for: reply.call)
        // Rows that were read before the view's snapshot was made would be older than it.
        let isDeferred = views.deferUntilAnswer(of: number) { [weak self] _ in
            self?.readRows(request, by: reading, of: number, reply)
        }
        if !isDeferred { readRows(request, by: reading, of: number, reply) }
    }

    private func readRows(_ request: RowsRequest, by reading: RowsReading, of number: Int, _ reply: Reply<SessionRows>)
    {
        guard let session = views.table[number]?.session else {
            return didReadRows(.failure(SessionError.ended), of: number, reply)
        }
        RowsReader(session).read(request, by: reading) { [handle] result in
            handle.perform { $0.didReadRows(result, of: number, reply) }
        }
    }

    private func didReadRows(
        _ result: Result<RowsRequest.Part, any Error>, of number: Int, _ reply: Reply<SessionRows>
    ) {
        rowRequests -= 1
        do throws(RPCError) {
            guard let view = views.table[number] else { throw RPCError(.ended) }
            let part = try rows(result)
            if let batch = reply.call.batch, part.rows.count > peer.room(in: batch) {
                let message = "the answers in this batch are longer than a message; ask for rows in one of its own"
                throw .limitExceeded("messageBytes", message)
            }
            writer.sendEvents(of: view, upTo: part.seq)
            answer(reply.call) { writer in
                writer.literal(#"{"seq":"#)
                writer.integer(part.seq)
                writer.literal(#","count":"#)
                writer.integer(part.count)
                writer.literal(#","first":"#)
                writer.integer(part.first)
                writer.literal(#","rows":"#)
                writer.raw(part.rows)
                writer.endObject()
            }
        } catch {
            answer(reply, error: error)
        }
        views.didFinishJob()
    }

    private func rows(_ result: Result<RowsRequest.Part, any Error>) throws(RPCError) -> RowsRequest.Part {
        do {
            return try result.get()
        } catch let error as SessionError {
            throw RPCError(error)
        } catch is CancellationError {
            throw RPCError(.requestCancelled, "cancelled")
        } catch {
            throw RPCError(.viewModelFailed, "\(error)")
        }
    }
}
