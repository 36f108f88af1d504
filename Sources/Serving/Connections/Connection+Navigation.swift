import JSON
import JSONRPC
import Sessions
import Transport

extension Connection {
    /// Takes the session of this view off the screen, and answers when everybody who has a say was asked.
    func goBack(from number: Int, _ call: Call) throws(RPCError) {
        let session = try view(number).session
        guard session.isChild, let scene = session.scene else {
            let advice = "session \(number) was opened, not pushed or presented: close or detach it instead"
            throw RPCError(.invalidRequest, "there is nothing to go back to; \(advice)")
        }
        if scene.canLeaveAtOnce(session) {
            scene.takeOff(session)
            return didGoBack(call)
        }
        unfinishedJobs += 1
        Task.detached(executorPreference: loop) { [handle] in
            var refusal: String?
            do {
                try await scene.goBack(from: session)
            } catch {
                refusal = "\(error)"
            }
            handle.perform { [refusal] connection in
                connection.didGoBack(call, refusal: refusal)
                connection.didFinishJob()
            }
        }
    }

    private func didGoBack(_ call: Call, refusal: String? = nil) {
        // What was taken off is told before the answer, as with any other event.
        flush()
        guard let refusal else { return answer(call, result: Method.null) }
        let error = RPCError(.invalidRequest, "the view model stays: \(refusal)") { data in
            data.key("refused")
            data.string(refusal)
        }
        answer(call, error: error)
    }
}
