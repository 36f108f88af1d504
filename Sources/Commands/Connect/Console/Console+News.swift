import Contracts
import JSON
import ViewModelClient

// What comes from elsewhere while one types.
extension Console {
    /// Returns why it is over, in words; nil while it isn't.
    func take(_ news: ClientNews) -> String? {
        switch news {
        case .state(let state): return take(state)
        case .log(let type, let message):
            let lead = type == 1 ? "the server: error: " : type == 2 ? "the server: warning: " : "the server: "
            output.remark(lead + TerminalTextLine.of(message))
        case .ignored(let words): output.remark("ignored: \(TerminalTextLine.of(words))")
        }
        return nil
    }

    private func take(_ state: RemoteState) -> String? {
        switch state {
        case .connecting: break
        case .connected:
            guard isLost else { return nil }
            isLost = false
            let places = screens.all.compactMap { screen in
                newestNumbers[screen.number].map {
                    "\(TerminalTextLine.of(screen.viewModel)) goes on after event \($0)"
                }
            }
            output.remark("connected again" + (places.isEmpty ? "" : "; " + places.joined(separator: ", ")))
        case .waiting(let reason, _):
            // Once, however often it is tried.
            guard !isLost else { return nil }
            isLost = true
            output.remark("the connection is lost (\(TerminalTextLine.of(reason))); trying again, nothing is forgotten")
        case .closed(let error): return error.map { TerminalTextLine.of("\($0)") } ?? ""
        }
        return nil
    }

    /// What `$/progress` says, for people; nil at its end.
    static func progressText(_ value: JSONText) -> String? {
        let value = value.withValue { JSONTree($0) }
        guard value["kind"]?.string != "end" else { return nil }
        let words = [value["title"]?.string, value["message"]?.string].compactMap { $0 }
        let percentage = value["percentage"]?.number.map { "\($0) %" }
        return TerminalTextLine.of((words + [percentage].compactMap { $0 }).joined(separator: " "))
    }
}
