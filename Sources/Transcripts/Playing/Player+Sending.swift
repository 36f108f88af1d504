extension Player {
    /// What is to be done for a line whose time has come.
    mutating func send(_ line: ScriptLine) -> Action {
        let connection = line.entry.connection
        if case .end = line.entry.content { return .end(connection: connection) }
        let content = substituted(line)
        for message in line.shape.messages where message.kind == .answer {
            if let id = message.id { bindings.ids.answer(id, on: connection) }
        }
        if options.isUpdating { noteNewRequests(of: line) }
        correlation.play(line.shape, line: line.index, on: connection)
        return .send(content, connection: connection)
    }

    /// Those that the transcript has no answer to.
    private mutating func noteNewRequests(of line: ScriptLine) {
        for message in line.shape.messages where message.kind == .request {
            let call = CallID(id: message.id, connection: line.entry.connection)
            let isKnown = script.answers.first(call) != nil || script.batches.first(call) != nil
            guard let id = message.id, !isKnown else { continue }
            // Else it gives that request up.
            if !correlation.isWaiting(id, on: call.connection) || message.hasParams { rewriting.send(call) }
        }
    }

    /// A function of its own, so that no copy of what is known is left when that grows.
    private func substituted(_ line: ScriptLine) -> TranscriptEntry.Content {
        guard case .message(let message) = line.entry.content else { return line.entry.content }
        let connection = line.entry.connection
        var substitution = Substitution(
            options: options, connection: connection, hasMatchers: line.hasMatchers, bindings: bindings,
            isOwnRequest: { correlation.isWaiting($0, on: connection) })
        return .message(substitution.apply(to: message))
    }
}
