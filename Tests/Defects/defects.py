"""Defects that a simulation has to find: each is one that somebody might make, in a rule that clients rely on.

The text before must be in its file once, so whoever changes the rule sees that the defect changes, too.
"""

from typing import List, NamedTuple, Tuple


class Test(NamedTuple):
    filter: str
    #: Of the environment: which seeds it runs.
    variable: str
    #: So many seeds are tried, one step after the other.
    steps: List[int]


class Defect(NamedTuple):
    #: What is wrong.
    name: str
    path: str
    #: Text before and after.
    changes: List[Tuple[str, str]]
    #: Finds it.
    test: str


TESTS = {
    "shared": Test("SharedSimulationTests/.no seed finds", "SHARED_SEEDS", [12, 40, 100, 200]),
    "halls": Test("SharedSimulationTests/.no seed with windows", "HALL_SEEDS", [20, 60, 150, 400]),
    "single": Test("SimulationTests.SimulationTests/.no seed finds", "SIMULATION_SEEDS", [50, 200, 1000]),
    "walks": Test("ListWalkTests/.the list of the client in Swift", "WALK_SEEDS", [40, 400]),
    "cuts": Test("ReconnectTests/.connections that break anywhere", "CUT_SEEDS", [4, 20]),
    "lists": Test("SessionsTests.ListLawsTests", "LIST_SEEDS", [500, 2000, 10000]),
}

SESSIONS = "Sources/Sessions/"
SERVING = "Sources/Serving/"
STORES = "Sources/Stores/"
CLIENT = "clients/swift/Sources/ViewModelClient/"

DEFECTS = [
    # Sessions that everyone finds.
    Defect(
        "two servers make the same session, and both are stored",
        STORES + "Redis/RedisCommitScript.swift",
        [("if redis.call('EXISTS', 'vms:once:' .. once) == 1 then error({'once'}) end\n", "\n")],
        "shared",
    ),
    Defect(
        "whoever closes everyone's session ends it",
        SERVING + "Methods/SessionMethods.swift",
        [("guard session.scope != .everyone || session.isChild else", "guard session.scope != .person || session.isChild else")],
        "shared",
    ),
    # What sessions send to shared ones, and get from them.
    Defect(
        "what a session has sent to a shared one isn't stored",
        SESSIONS + "Sharing/SharedRecord.swift",
        [("outbox: outbox.filter { $0.answeredIn == nil }.map(\\.event))", "outbox: [])")],
        "halls",
    ),
    Defect(
        "what a shared session hasn't answered is removed with what it has",
        SESSIONS + "Sharing/SharedRecord.swift",
        [("outbox.removeAll { $0.answeredIn.map { $0 <= job } ?? false }", "outbox.removeAll { $0.answeredIn.map { $0 <= job } ?? $0.mayGo }")],
        "halls",
    ),
    Defect(
        "what a session sends to a shared one is numbered from 1 in each life",
        SESSIONS + "Sharing/SharedRecord.swift",
        [("(client, base, last) = (notes.client, notes.base, notes.last)",
          "(client, base, last) = (notes.client, notes.base, notes.outbox.last?.number ?? 0)")],
        "halls",
    ),
    Defect(
        "events go to a shared session before their turn is stored",
        SESSIONS + "Durability/TurnCommitter.swift",
        [("        let turn = handed.isChange ? handed.turn : nil\n",
          "        if let notes = handed.turn.notes { SharedRunner(session: session).didStore(notes) }\n"
          "        let turn = handed.isChange ? handed.turn : nil\n")],
        "halls",
    ),
    Defect(
        "how far a shared session's events were taken isn't stored with what followed",
        SESSIONS + "Sharing/SharedRunner.swift",
        [("            state.shared?.hasMoved = true\n", "")],
        "halls",
    ),
    Defect(
        "events of a shared session that wait to be taken are asked for again",
        SESSIONS + "Sharing/SharedRecord.swift",
        [("since: come.key == nil ? nil : come.seq,", "since: come.key == nil ? nil : taken.seq,")],
        "halls",
    ),
    Defect(
        "an event that is sent again is answered before what it led to is done",
        SESSIONS + "Handling/HandlerRunner.swift",
        [("return sent + (shared?.numbers(for: repeated.original) ?? [])", "_ = repeated\n        return sent")],
        "halls",
    ),
    Defect(
        "an event that a shared session has refused is answered as one that was handled",
        SESSIONS + "Sharing/SharedRunner.swift",
        [("if let cause = sent?.cause, let reason, !takesFailures {", "if let cause = sent?.cause, let reason, takesFailures {")],
        "halls",
    ),
    # The numbers of clients' events.
    Defect(
        "a number that was taken before is taken again",
        SESSIONS + "Handling/ClientNumbers.swift",
        [("if number <= highest { return .repeated", "if number < highest - 1 { return .repeated"),
         ("guard number - highest == 1 else", "guard number - highest <= 1 else")],
        "shared",
    ),
    Defect(
        "a later life knows one number less",
        SESSIONS + "Handling/ClientNumbers.swift",
        [("            handled[number.client] = number.number\n            depart(number.client)",
          "            handled[number.client] = number.number - 1\n            depart(number.client)")],
        "shared",
    ),
    Defect(
        "a later life answers an event that failed as one that was handled",
        SESSIONS + "SessionState.swift",
        [("        inbox.unhandled = UnhandledEvents(stored: stored.notes?.unhandled ?? [])\n", "")],
        "shared",
    ),
    Defect(
        "a number is stored before it is done",
        SESSIONS + "Durability/PendingTurns.swift",
        [("number: done.highest))\n        }\n        let isChange", "number: done.highest + 1))\n        }\n        let isChange")],
        "shared",
    ),
    Defect(
        "a view model that couldn't go on is stored",
        SESSIONS + "Handling/HandlerRunner.swift",
        [("session.endReason == nil, !isFailedOpening(end) {", "session.endReason == nil {")],
        "shared",
    ),
    # The order of a session's work.
    Defect(
        "the answer comes before the handler's events",
        SERVING + "Connections/ConnectionViews.swift",
        [("            connection.writer.sendEvents(of: view, upTo: newest)\n        }\n        // So do the events",
          "            _ = newest\n        }\n        // So do the events")],
        "single",
    ),
    # What is stored, and told.
    Defect(
        "events are told before they are stored",
        SESSIONS + "Durability/TurnCommitter.swift",
        [("        let turn = handed.isChange ? handed.turn : nil\n",
          "        telling(.stored)\n        let turn = handed.isChange ? handed.turn : nil\n")],
        "shared",
    ),
    Defect(
        "a handler is answered before its turn is stored",
        SESSIONS + "Durability/TurnCommitter.swift",
        [("        let turn = handed.isChange ? handed.turn : nil\n",
          "        answer?(.stored)\n        let turn = handed.isChange ? handed.turn : nil\n"),
         ("            for action in actions + handed.answers { action(.stored) }\n            answer?(.stored)\n",
          "            for action in actions + handed.answers { action(.stored) }\n"),
         ("handed.answers + [answer].compactMap(\\.self))", "handed.answers)")],
        "shared",
    ),
    Defect(
        "a view takes what isn't stored yet",
        SESSIONS + "Viewing/SessionFeed.swift",
        [("upTo: min(last ?? .max, told), maximumBytes", "upTo: last ?? .max, maximumBytes")],
        "shared",
    ),
    Defect(
        "a log is stored without its newest event",
        SESSIONS + "Durability/PendingTurns.swift",
        [("        while let entry = log.next(after: number) {\n            number = entry.number\n            turn.entries",
          "        while let entry = log.next(after: number), entry.number < log.newest || entry.number == 1 {\n"
          "            number = entry.number\n            turn.entries")],
        "shared",
    ),
    # Turns of several sessions.
    Defect(
        "what a turn changed of shared objects is stored apart",
        SESSIONS + "Durability/SceneTurns.swift",
        [("if shared != nil || links[Self.shared]?.isEmpty == false { link(session, Self.shared) }", "")],
        "shared",
    ),
    Defect(
        "linked turns are stored apart",
        SESSIONS + "Durability/SceneTurns.swift",
        [("for other in links[session] ?? [] where", "for other in [String]() where")],
        "shared",
    ),
    Defect(
        "a child that was taken off stays stored",
        SESSIONS + "Durability/SceneTurns.swift",
        [("        entry.changes.append(.removeSession(key: key))\n", "")],
        "shared",
    ),
    Defect(
        "what stood on a child that was taken off stays stored",
        SESSIONS + "Durability/SceneTurns.swift",
        [("        for child in children.sorted() { remove(child, from: &entry) }\n", "        _ = children\n")],
        "shared",
    ),
    Defect(
        "what a session did that has ended is stored before its end",
        SESSIONS + "Durability/SceneTurns.swift",
        [("        ending.insert(session)\n", "")],
        "shared",
    ),
    Defect(
        "an effect on another session isn't noticed",
        SESSIONS + "Durability/SceneCommitter.swift",
        [("        if let other = mark.session { noteEffect(of: other, on: session.key) }\n", "")],
        "shared",
    ),
    # The store, and who has a scene.
    Defect(
        "a commit that the store didn't take counts as stored",
        STORES + "JournalRules.swift",
        [("                storing.pauses = !isOver\n",
          "                storing.settle((0..<storing.sentCount).map { _ in .stored })\n")],
        "shared",
    ),
    Defect(
        "the numbers of commits don't rise",
        STORES + "Redis/RedisStore.swift",
        [("Hold(fence: sending.hold.fence, commit: sending.hold.commit + 1)",
          "Hold(fence: sending.hold.fence, commit: sending.hold.commit)")],
        "shared",
    ),
    Defect(
        "a client isn't told that another server has its session",
        SESSIONS + "Durability/SessionEviction.swift",
        [("        for view in views { view.viewer.sessionIsLost(view.number) }\n", "        _ = views\n")],
        "shared",
    ),
    # What a view is given.
    Defect(
        "a view isn't told which numbers it was spared",
        SESSIONS + "Viewing/ViewCursor.swift",
        [("let after = before == entry.number - 1 ? nil : before\n", "let after: Int? = before < 0 ? before : nil\n")],
        "single",
    ),
    Defect(
        "a view comes back to a log that has lost what it missed",
        SESSIONS + "Log/SessionLog.swift",
        [("        number >= lost && number <= newest && number >= firstComplete\n", "        number <= newest && number >= firstComplete\n")],
        "single",
    ),
    Defect(
        "a list's edits are given to a view that has missed others",
        SESSIONS + "Viewing/ViewCursor.swift",
        [("guard let previous = log.previousOfList(entry.number), previous <= skipped,",
          "guard let previous = log.previousOfList(entry.number), previous < 0,")],
        "lists",
    ),
    Defect(
        "another history goes on from a number of this one",
        SESSIONS + "Viewing/Session+Views.swift",
        [("let since = since.flatMap { epochs.has($0, of: epoch) ? $0 : nil }", "let since = since")],
        "shared",
    ),
    Defect(
        "a client isn't told that the server with its session is gone",
        SERVING + "Relaying/RemoteViews.swift",
        [("$0.isAnswered }) {\n            connection.loseSession()", "$0.isAnswered }) {")],
        "shared",
    ),
    # A client's own rules.
    Defect(
        "edits of a list are applied from the last one on",
        CLIENT + "Lists/RemoteRows.swift",
        [("        for edit in edits {\n            cut(", "        for edit in edits.reversed() {\n            cut(")],
        "walks",
    ),
    Defect(
        "rows stay over a new beginning",
        CLIENT + "Lists/ListLife.swift",
        [("let actions = change(event, nil, seq: seq)\n",
          "let actions = change(event, event.count == rows.count ? [] : nil, seq: seq)\n")],
        "walks",
    ),
    Defect(
        "rows that were asked for on a lost connection are waited for",
        CLIENT + "Lists/ListLife.swift",
        [("        isAttached = false\n        asked = nil\n", "        isAttached = false\n")],
        "walks",
    ),
    Defect(
        "what a session has taken is numbered anew",
        CLIENT + "Viewing/ViewEventQueue.swift",
        [("where (unsent[place].number ?? 0) > handled {", "where (unsent[place].number ?? 0) > 0 {")],
        "cuts",
    ),
    Defect(
        "events are sent again in the opposite order",
        CLIENT + "Viewing/ViewEventQueue.swift",
        [(".sorted { ($0.number ?? 0) < ($1.number ?? 0) } + unsent", ".sorted { ($0.number ?? 0) > ($1.number ?? 0) } + unsent")],
        "cuts",
    ),
    Defect(
        "commits of one scene that are stored together change places",
        STORES + "JournalRules.swift",
        [("groups[place].commits.append(commit)", "groups[place].commits.insert(commit, at: 0)")],
        "shared",
    ),
    Defect(
        "a view that comes back is told an event twice",
        SESSIONS + "Viewing/Session+Views.swift",
        [("client: client, after: since, isComplete: since == 0)", "client: client, after: max(0, since - 1), isComplete: since == 0)")],
        "single",
    ),
    Defect(
        "a name that has numbered is forgotten with its view",
        SESSIONS + "Handling/ClientNumbers.swift",
        [("        if handled[client] != nil { depart(client) }\n", "        handled[client] = nil\n")],
        "single",
    ),
]

# No seed finds these: the answers to two readings of one scene would have to be looked at in another order than the store's, as
# on two loops, and a simulation has one. Tests of single cases hold the rules.
GAPS = [
    Defect(
        "a scene is made twice, by its root's key and by a child's",
        SERVING + "Core/SessionRestorer.swift",
        # The second guard hides the first.
        [("if let session = sessions.session(withKey: root) {\n                return session.hasLeftMemory",
          "if let session = sessions.session(withKey: key) {\n                return session.hasLeftMemory"),
         ("            if sessions.isOutdated(load, root) { return .isOutdated }\n", "")],
        "shared",
    ),
    Defect(
        "a scene is made of what was read before its last commit",
        SERVING + "Core/SessionRestorer.swift",
        [("            if sessions.isOutdated(load, root) { return .isOutdated }\n", "")],
        "shared",
    ),
]
