import TestSupport
import Testing

@testable import Sessions

@Suite struct HostNavigationTests {
    private static func child(_ key: String) -> NavigationChild { NavigationChild(key: key, viewModel: "page") }

    @Test func `each change is applied`() {
        let (first, second, third) = (Self.child("1"), Self.child("2"), Self.child("3"))
        var navigation = HostNavigation()
        #expect(navigation.isEmpty)
        navigation.apply(NavigationChange(.push, first))
        navigation.apply(NavigationChange(.push, second))
        #expect(navigation.stack == [first, second])
        navigation.apply(NavigationChange(.present, third))
        #expect(navigation.presented == third)
        navigation.apply(NavigationChange(.pop, second))
        #expect(navigation.stack == [first])
        navigation.apply(NavigationChange(.pop, first))
        #expect(!navigation.isEmpty)
        navigation.apply(NavigationChange(.dismiss, third))
        #expect(navigation.isEmpty)
    }

    @Test(arguments: 1...20)
    func `whatever was applied can be undone, back to each state before`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var navigation = HostNavigation()
        var past: [(HostNavigation, NavigationChange)] = []
        for step in 0..<100 {
            let change: NavigationChange? =
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: NavigationChange(.push, Self.child("\(step)"))
                case 1: navigation.stack.last.map { NavigationChange(.pop, $0) }
                case 2: navigation.presented == nil ? NavigationChange(.present, Self.child("\(step)")) : nil
                default: navigation.presented.map { NavigationChange(.dismiss, $0) }
                }
            guard let change else { continue }
            past.append((navigation, change))
            navigation.apply(change)
            #expect(navigation != past.last?.0)
        }
        for (before, change) in past.reversed() {
            navigation.undo(change)
            #expect(navigation == before)
        }
    }
}
