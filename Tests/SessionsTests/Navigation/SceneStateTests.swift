import Sessions
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct SceneStateTests {
    /// "1" and "2" pushed onto the root, "3" presented over those, and "4" pushed onto that; with a view of each.
    private struct Filled {
        let stage: Stage
        let views: [String: (session: Session, view: Int)]

        init() throws {
            stage = try Stage()
            var views: [String: (session: Session, view: Int)] = [:]
            for session in [stage.root, try stage.push(), try stage.push(), try stage.present(), try stage.push()] {
                views[session.key] = (session, try session.attach(TestViewer(), number: 1, client: nil).view)
            }
            self.views = views
        }

        /// The keys of the sessions that have ended, in order, with the reason that their views are told.
        var ends: [String] {
            stage.ends.elements.map { key in
                let reason = views[key].flatMap { session, view in session.take(view).end }
                return "\(key) \(reason?.rawValue ?? "nothing")"
            }
        }
    }

    @Test func `each is told to its host`() throws {
        let filled = try Filled()
        #expect(filled.stage.keys == ["1", "2", "3", "4", "root"])
        #expect(["root", "1", "2", "3", "4"].map { filled.views[$0]?.session.hosted } == ["1 2", "", "(3)", "4", ""])
        filled.stage.root.end(.closed)
    }

    @Test(arguments: [
        ("1", ["4 popped", "3 dismissed", "2 popped", "1 popped"], "root", ""),
        ("2", ["4 popped", "3 dismissed", "2 popped"], "root", "1"),
        ("3", ["4 popped", "3 dismissed"], "2", ""),
        ("4", ["4 popped"], "3", ""),
    ])
    func `a session is taken off with all above it, topmost first`(
        key: String, ends: [String], host: String, rest: String
    ) throws {
        for endsByItself in [false, true] {
            let filled = try Filled()
            let session = try filled.stage.session(key)
            if endsByItself { session.end(.failed) } else { filled.stage.scene.takeOff(session) }
            #expect(filled.stage.ends.elements == ends.map { String($0.prefix(1)) })
            #expect(filled.views[host]?.session.hosted == rest)
            #expect(filled.stage.keys.count == 5 - ends.count)
            filled.stage.scene.takeOff(session)
            session.end(.closed)
            #expect(filled.ends == ends.dropLast() + [endsByItself ? "\(key) failed" : ends.last ?? ""])
            filled.stage.root.end(.closed)
        }
    }

    @Test func `a pop takes off the topmost stack's top, a dismiss that stack`() throws {
        let filled = try Filled()
        for (transition, ends) in [
            (Transition.push, ["4 popped"]), (.push, []), (.present, ["3 dismissed"]), (.present, []),
            (.push, ["2 popped"]),
        ] {
            let before = filled.stage.ends.elements.count
            filled.stage.navigator.takeOff(transition)
            #expect(filled.ends.dropFirst(before) == ends[...])
        }
        filled.stage.root.end(.closed)
    }

    @Test(arguments: [(EndReason.failed, EndReason.closed), (.closed, .closed), (.serverShutdown, .serverShutdown)])
    func `with the root all end, and no host is told`(reason: EndReason, others: EndReason) throws {
        let filled = try Filled()
        filled.stage.root.end(reason)
        #expect(filled.stage.ends.elements == ["4", "3", "2", "1", "root"])
        for (key, (session, view)) in filled.views {
            let delivery = session.take(view)
            #expect(delivery.end == (key == "root" ? reason : others))
            #expect(!delivery.texts.contains { $0.contains("pop") || $0.contains("dismiss") })
        }
        #expect(throws: NavigationError.ended) { try filled.stage.push() }
        filled.stage.navigator.takeOff(.push)
        #expect(filled.stage.ends.elements.count == 5)
    }
}
