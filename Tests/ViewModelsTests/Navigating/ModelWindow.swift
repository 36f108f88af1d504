/// The same as a user interface would have it: windows that hold what was pushed onto them and what they present.
final class ModelWindow {
    let screen: Int
    var pushed: [ModelWindow] = []
    var presented: ModelWindow?

    init(_ screen: Int) {
        self.screen = screen
    }

    /// As one finds the top of what is on screen: through stacks and what is presented.
    var topmost: ModelWindow {
        if let last = pushed.last { return last.topmost }
        return presented?.topmost ?? self
    }

    var topmostStack: ModelWindow {
        (pushed.last ?? self).presented?.topmostStack ?? self
    }

    /// Bottom first.
    var all: [ModelWindow] {
        [self] + pushed.flatMap(\.all) + (presented?.all ?? [])
    }

    func all(above screen: Int) -> [Int] {
        Array(all.map(\.screen).drop { $0 != screen }.dropFirst())
    }

    /// Screens that go, topmost first.
    func takeOff(_ screen: Int) -> [Int] {
        if presented?.screen == screen {
            defer { presented = nil }
            return presented?.all.map(\.screen).reversed() ?? []
        }
        if let index = pushed.firstIndex(where: { $0.screen == screen }) {
            defer { pushed.removeSubrange(index...) }
            return pushed[index...].flatMap(\.all).map(\.screen).reversed()
        }
        for node in pushed + [presented].compactMap({ $0 }) {
            let taken = node.takeOff(screen)
            if !taken.isEmpty { return taken }
        }
        return []
    }
}
