/// Called at the end of a loop's turn, when it asked for that: once for each time it asked, and in order.
package protocol TurnEndHandler: AnyObject {
    func loopWillEndTurn()
}

/// A stream that wants to send, once, at the very end of the turn, what the turn gave it.
protocol TurnEndWriter: AnyObject {
    func writeAtTurnEnd()
}

/// What is to be done at the end of a turn.
enum TurnEndWork {
    case call(any TurnEndHandler)
    case run(() -> Void)
}
