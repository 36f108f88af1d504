import TestSupport
import Testing

@testable import Sessions

@Suite(.inTurn) struct SceneTurnsTests {
    private func turn(_ session: String, _ contents: SessionLog.Content...) -> StoredTurn {
        var turn = StoredTurn(
            session: session, newest: contents.count, lost: 0, hasAllEvents: true, isStarted: true, savedVersion: 1)
        turn.entries = contents.enumerated().map { StoredEntry(number: $0 + 1, key: nil, content: $1) }
        return turn
    }

    private func header(_ key: String) -> StoredSession.Header {
        .init(key: key, scene: "root", viewModel: "screen", arguments: nil, shownBy: .push)
    }

    /// The sessions of all turns that are taken.
    private func take(_ turns: inout SceneTurns) -> [String]? {
        turns.take()?.changes.map { change in
            switch change {
            case .turn(let turn): turn.session
            case .addSession(let header): "+\(header.key)"
            case .removeSession(let key): "-\(key)"
            case .share: "shared"
            default: "\(change)"
            }
        }
    }

    private func add(_ session: String, to turns: inout SceneTurns, shares: Bool = false) {
        turns.add(
            turn(session), of: session, noted: [], shared: shares ? .share(scene: "root", values: []) : nil,
            then: { _ in })
    }

    @Test func `a turn that has to do with no other is taken at once`() {
        var turns = SceneTurns()
        turns.open("b")
        turns.link("b", "c")
        add("a", to: &turns)
        #expect(take(&turns) == ["a"])
        #expect(take(&turns) == nil)
    }

    @Test func `what is linked is taken together once nothing of it is open`() {
        var turns = SceneTurns()
        turns.open("a")
        turns.link("a", "b")
        turns.open("c")
        turns.link("b", "c")
        add("b", to: &turns)
        #expect(take(&turns) == nil)
        add("a", to: &turns)
        #expect(take(&turns) == nil)
        add("d", to: &turns)
        #expect(take(&turns) == ["d"])
        add("c", to: &turns)
        #expect(take(&turns) == ["b", "a", "c"])
        // The links are over with that.
        turns.open("a")
        add("b", to: &turns)
        #expect(take(&turns) == ["b"])
    }

    @Test func `as long as shared objects are open all turns wait`() {
        var turns = SceneTurns()
        turns.open("a")
        turns.link("a", SceneTurns.shared)
        add("b", to: &turns, shares: true)
        add("c", to: &turns)
        let waits = turns.waitForShared { _ in }
        #expect(waits)
        #expect(take(&turns) == nil)
        add("a", to: &turns)
        #expect(take(&turns) == ["shared", "b", "c", "a"])
        let waitsAgain = turns.waitForShared { _ in }
        #expect(!waitsAgain)
    }

    @Test func `a session that ends is awaited no more`() {
        var turns = SceneTurns()
        turns.open("a")
        turns.link("a", "b")
        add("b", to: &turns)
        turns.close("a", isTakenOff: false)
        #expect(take(&turns) == ["b"])
    }

    @Test func `a session that came on screen is stored with its host, and before its own turns`() {
        var turns = SceneTurns()
        let child = NavigationChild(key: "child", viewModel: "screen")
        turns.noteShown(header("child"))
        add("child", to: &turns)
        #expect(take(&turns) == nil)
        let change = SessionLog.Content.navigation(NavigationChange(.push, child))
        turns.add(turn("root", change), of: "root", noted: [], shared: nil, then: { _ in })
        #expect(take(&turns) == ["+child", "child", "root"])
        turns.open("x")
        turns.link("x", "child")
        add("child", to: &turns)
        let removal = SessionLog.Content.navigation(NavigationChange(.pop, child))
        turns.add(turn("root", removal), of: "root", noted: [], shared: nil, then: { _ in })
        // Its turn isn't stored behind its removal.
        #expect(take(&turns) == nil)
        turns.close("x", isTakenOff: true)
        #expect(take(&turns) == ["child", "root", "-child"])
    }

    @Test func `what the last event of a session had an effect on waits until its host takes it off`() {
        var turns = SceneTurns()
        let child = NavigationChild(key: "child", viewModel: "screen")
        turns.restore(hosts: ["child": "root"])
        turns.open("child")
        turns.link("child", SceneTurns.shared)
        add("b", to: &turns, shares: true)
        turns.close("child", isTakenOff: true)
        // Another life would handle the child's event again.
        #expect(take(&turns) == nil)
        let removal = SessionLog.Content.navigation(NavigationChange(.pop, child))
        turns.add(turn("root", removal), of: "root", noted: [], shared: nil, then: { _ in })
        #expect(take(&turns) == ["shared", "b", "root", "-child"])
        add("b", to: &turns)
        #expect(take(&turns) == ["b"])
    }

    @Test func `what a session shows that ends before it says so is taken off with it`() {
        var turns = SceneTurns()
        turns.restore(hosts: ["host": "root"])
        turns.noteShown(header("child"))
        turns.noteHost(of: "child", "host")
        add("child", to: &turns)
        turns.close("child", isTakenOff: true)
        turns.close("host", isTakenOff: true)
        let host = NavigationChild(key: "host", viewModel: "screen")
        let removal = SessionLog.Content.navigation(NavigationChange(.pop, host))
        turns.add(turn("root", removal), of: "root", noted: [], shared: nil, then: { _ in })
        #expect(take(&turns) == ["+child", "child", "root", "-host", "-child"])
        add("root", to: &turns)
        #expect(take(&turns) == ["root"])
    }

    @Test func `a root that fails holds up nothing of what ends with it`() {
        var turns = SceneTurns()
        turns.restore(hosts: ["child": "root"])
        turns.noteShown(header("other"))
        turns.noteHost(of: "other", "root")
        add("child", to: &turns)
        turns.close("child", isTakenOff: true)
        turns.close("other", isTakenOff: true)
        turns.closeRoot("root")
        #expect(take(&turns) == ["child"])
    }

    @Test func `a life that ends stores no turn that isn't whole, and the end of the root waits for none`() {
        var turns = SceneTurns()
        let told = Recorder<StoreOutcome>()
        turns.open("a")
        turns.link("a", "b")
        turns.add(turn("b"), of: "b", noted: [], shared: nil) { told.record($0) }
        add("c", to: &turns)
        var ended = turns
        ended.removeRoot("root")
        #expect(take(&ended) == ["b", "c", "-root"])
        for action in turns.leave() { action(.lostSession) }
        #expect(told.elements == [.lostSession])
        #expect(turns.hasLeft)
        #expect(take(&turns) == ["c"])
    }

    @Test func `views are told of everything in a batch before any turn of it is answered`() throws {
        var turns = SceneTurns()
        let told = Recorder<String>()
        for session in ["a", "b"] {
            turns.open(session)
            turns.link("a", session)
        }
        for session in ["a", "b"] {
            turns.add(
                turn(session), of: session, noted: [], shared: nil, telling: { _ in told.record("tell \(session)") },
                then: { _ in told.record("answer \(session)") })
        }
        let taken = turns.take()
        let batch = try #require(taken)
        for action in batch.tellings + batch.actions { action(.stored) }
        #expect(told.elements == ["tell a", "tell b", "answer a", "answer b"])
    }
}
