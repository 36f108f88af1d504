// What connections tell.
extension TranscriptRunner {
    func receive(_ contents: [TranscriptEntry.Content], on connection: PlayedConnection) {
        silence.hear()
        for content in contents {
            guard phase == .playing || phase == .finished else { return }
            if options.player.stampsTimes, options.player.isUpdating { advance() }
            receive(content, on: connection)
        }
        if options.player.isPaced, wait == nil, phase == .playing { advance() }
        endIfAllHaveEnded()
    }

    private func receive(_ content: TranscriptEntry.Content, on connection: PlayedConnection) {
        if content != .end { messages += 1 }
        isTakingEnd = content == .end
        defer { isTakingEnd = false }
        take { (player) throws(TranscriptError) in
            var actions = try player.receive(content, on: connection.number)
            for index in actions.indices {
                guard case .fail(var failure) = actions[index] else { continue }
                if connection.isUnframed {
                    failure.reason += "; what came is framed neither by headers nor by lines"
                }
                actions[index] = .fail(failure)
                refuse(content, on: connection, failure)
            }
            return actions
        }
        // A client that is through with its server has nothing more to be told.
        if content == .end, phase == .finished { connection.finish() }
    }

    /// A client under test that waits for an answer is told what was expected.
    private func refuse(_ content: TranscriptEntry.Content, on connection: PlayedConnection, _ failure: PlayerFailure) {
        guard options.player.side == .server, let answer = content.refusal(failure) else { return }
        connection.send(.message(answer))
    }

    func didClose(_ connection: PlayedConnection) {
        if case .closing = phase { completeIfClosed() }
    }
}
