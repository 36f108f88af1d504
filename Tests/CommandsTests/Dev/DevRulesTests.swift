import Commands
import TestSupport
import Testing

@Suite(.inTurn) struct DevRulesTests {
    /// Rules whose first build was good, and whose server runs.
    private static func serving() -> DevRules {
        var rules = DevRules()
        #expect(rules.sourcesDidChange() == [.build])
        #expect(rules.buildDidEnd(isGood: true, hasExecutable: true) == [.startServer])
        return rules
    }

    @Test func `a good build ends the server, and the next one starts when it has ended`() {
        var rules = Self.serving()
        #expect(rules.sourcesDidChange() == [.build])
        #expect(rules.buildDidEnd(isGood: true, hasExecutable: true) == [.stopServer])
        #expect(!rules.isServing)
        #expect(rules.serverDidEnd() == [.startServer])
        #expect(rules.isServing)
    }

    @Test func `a failed build leaves the server running`() {
        var rules = Self.serving()
        #expect(rules.sourcesDidChange() == [.build])
        #expect(rules.buildDidEnd(isGood: false, hasExecutable: true) == [])
        #expect(rules.isServing)
    }

    @Test func `where the first build fails, the code of an earlier one is served, if there is any`() {
        for hasExecutable in [true, false] {
            var rules = DevRules()
            #expect(rules.sourcesDidChange() == [.build])
            let actions = rules.buildDidEnd(isGood: false, hasExecutable: hasExecutable)
            #expect(actions == (hasExecutable ? [.startServer] : []))
        }
    }

    @Test func `changes during a build are built after it, once, and only that is started`() {
        var rules = Self.serving()
        #expect(rules.sourcesDidChange() == [.build])
        #expect(rules.sourcesDidChange() == [])
        #expect(rules.sourcesDidChange() == [])
        #expect(rules.buildDidEnd(isGood: true, hasExecutable: true) == [.build])
        #expect(rules.buildDidEnd(isGood: true, hasExecutable: true) == [.stopServer])
    }

    @Test func `a build that succeeds while the server ends is started once`() {
        var rules = Self.serving()
        #expect(rules.sourcesDidChange() == [.build])
        #expect(rules.buildDidEnd(isGood: true, hasExecutable: true) == [.stopServer])
        #expect(rules.sourcesDidChange() == [.build])
        #expect(rules.buildDidEnd(isGood: true, hasExecutable: true) == [])
        #expect(rules.serverDidEnd() == [.startServer])
        #expect(rules.serverDidEnd() == [], "it crashed")
    }

    @Test func `a server that crashes is started by the next good build, and by no failed one`() {
        var rules = Self.serving()
        #expect(rules.serverDidEnd() == [])
        #expect(rules.sourcesDidChange() == [.build])
        #expect(rules.buildDidEnd(isGood: false, hasExecutable: true) == [])
        #expect(rules.sourcesDidChange() == [.build])
        #expect(rules.buildDidEnd(isGood: true, hasExecutable: true) == [.startServer])
    }

    @Test func `the end waits for the build and for the server`() {
        var rules = Self.serving()
        #expect(rules.sourcesDidChange() == [.build])
        #expect(rules.end() == [.cancelBuild, .stopServer])
        #expect(rules.sourcesDidChange() == [])
        #expect(rules.buildDidEnd(isGood: true, hasExecutable: true) == [])
        #expect(rules.serverDidEnd() == [.end])

        var idle = Self.serving()
        #expect(idle.serverDidEnd() == [])
        #expect(idle.end() == [.end])
    }
}
