import Synchronization
import TestSupport
import Testing
import ViewModels

@testable import Sessions

@Suite struct SceneStateTests {
    private func session(_ key: String, isChild: Bool = true) -> Session {
        Session(
            key: key, viewModelName: "page", model: ScriptedModel(), isChild: isChild,
            executor: globalConcurrentExecutor
        )
    }

    /// A root "r", "a" and "b" pushed onto it, "c" presented over those, and "d" pushed onto that.
    private func filled() throws -> (state: SceneState, root: Session, all: [String: Session]) {
        let root = session("r", isChild: false)
        var state = SceneState(root: root)
        var all = ["r": root]
        for (key, transition) in [("a", .push), ("b", .push), ("c", .present), ("d", Transition.push)] {
            all[key] = session(key)
            _ = try state.add(try #require(all[key]), by: transition)
        }
        return (state, root, all)
    }

    private func texts(_ removed: SceneState.Removed) -> [String] {
        removed.sessions.map { "\($0.session.key) \($0.reason)" }
    }

    @Test func `each is told to its host`() throws {
        let (state, _, all) = try filled()
        #expect(state.count == 5)
        #expect(["r", "a", "b", "c", "d"].map { all[$0]?.shown } == ["a b", "", "(c)", "d", ""])
    }

    @Test(arguments: [
        ("a", ["d popped", "c dismissed", "b popped", "a popped"], "r", ""),
        ("b", ["d popped", "c dismissed", "b popped"], "r", "a"),
        ("c", ["d popped", "c dismissed"], "b", ""),
        ("d", ["d popped"], "c", ""),
    ])
    func `what is taken off goes with all above it`(
        key: String, removed: [String], host: String, rest: String
    ) throws {
        var (state, _, all) = try filled()
        let session = try #require(all[key])
        #expect(state.standing(on: session).map(\.key) == removed.map { String($0.prefix(1)) })
        #expect(texts(state.takeOff(session)) == removed)
        #expect(all[host]?.shown == rest)
        #expect(state.count == 5 - removed.count)
        #expect(texts(state.takeOff(session)).isEmpty)
        #expect(texts(state.didEnd(session, .failed)).isEmpty)
    }

    @Test func `a pop takes off the topmost stack's top, a dismiss that stack`() throws {
        var (state, _, _) = try filled()
        #expect(texts(state.takeOff(Transition.push)) == ["d popped"])
        #expect(texts(state.takeOff(Transition.push)).isEmpty)
        #expect(texts(state.takeOff(Transition.present)) == ["c dismissed"])
        #expect(texts(state.takeOff(Transition.present)).isEmpty)
        #expect(texts(state.takeOff(Transition.push)) == ["b popped"])
    }

    @Test(arguments: [(EndReason.failed, EndReason.closed), (.closed, .closed), (.serverShutdown, .serverShutdown)])
    func `with the root all end, and nobody is told where they stood`(reason: EndReason, others: EndReason) throws {
        var (state, root, all) = try filled()
        let removed = state.didEnd(root, reason)
        #expect(texts(removed) == ["d", "c", "b", "a", "r"].map { "\($0) \(others)" })
        #expect(removed.wakeups.isEmpty)
        #expect(all["r"]?.shown == "a b")
        #expect(state.isOver)
        #expect(state.count == 0)
        #expect(throws: NavigationError.ended) { _ = try state.add(session("e"), by: .push) }
        #expect(texts(state.takeOff(Transition.push)).isEmpty)
    }
}

extension Session {
    /// The screens on and over it, even after its end, as "pushed pushed(presented)".
    fileprivate var shown: String {
        let navigation = state.withLock { $0.feed.navigation(at: $0.feed.log.newest) }
        let stack = navigation.stack.map(\.key).joined(separator: " ")
        return navigation.presented.map { "\(stack)(\($0.key))" } ?? stack
    }
}
