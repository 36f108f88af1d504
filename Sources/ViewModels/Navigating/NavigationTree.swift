/// What is on screen: one root, what is pushed onto its stack, and what is presented over that with stacks of its own.
/// A value of pure rules, for a server as for a `Navigator` of an application's own Views.
///
/// A screen that was opened or presented is the root of a stack; pushed ones stand on that stack. What is presented
/// stands over the topmost screen. So every screen but the first has a *host*: the root of the stack for a pushed one,
/// the screen that it covers for a presented one.
///
/// ```swift
/// var tree = NavigationTree(root: "orders")
/// tree.push("details")      // hosted by "orders"
/// tree.present("confirm")   // hosted by "details"
/// tree.remove("details")    // takes off "confirm", then "details"
/// ```
///
/// A screen is known by its value, so each stands here once. Every member looks at each screen at most once.
public struct NavigationTree<Screen: Hashable & Sendable>: Sendable {
    private struct Entry {
        let screen: Screen
        /// Nil for the root alone.
        let transition: Transition?
    }

    /// What is on screen is one line, bottom first, since everything new comes on top: a presented screen begins a
    /// stack, and the pushed ones that follow it stand on that.
    private var entries: [Entry]

    /// - Parameter root: what a client opened, or an application's first screen.
    public init(root: Screen) {
        entries = [Entry(screen: root, transition: nil)]
    }

    /// How many screens there are; 0 once the root was taken off.
    public var count: Int { entries.count }

    /// The topmost screen; nil once the root was taken off.
    public var top: Screen? { entries.last?.screen }

    /// What a `pop` takes off: what was pushed last onto the topmost stack. Nil when only that stack's root is left.
    public var popped: Screen? {
        entries.last.flatMap { $0.transition == .push ? $0.screen : nil }
    }

    /// What a `dismiss` takes off: the root of the topmost stack, with all that stands on it. Nil unless it was
    /// presented.
    public var dismissed: Screen? {
        entries.last { $0.transition == .present }?.screen
    }

    /// Whether this screen is there.
    public func contains(_ screen: Screen) -> Bool {
        index(of: screen) != nil
    }

    /// What this screen stands on or covers; nil for the root and for one that isn't there.
    public func host(of screen: Screen) -> Screen? {
        index(of: screen).flatMap { host(at: $0) }
    }

    /// What was pushed onto the stack of which `host` is the root, bottom first and without the root. Empty for any
    /// other.
    public func stack(on host: Screen) -> [Screen] {
        guard let index = index(of: host), entries[index].transition != .push else { return [] }
        return entries[(index + 1)...].prefix { $0.transition == .push }.map(\.screen)
    }

    /// What was presented while `host` was the topmost screen, and still is; nil where nothing was.
    public func presented(over host: Screen) -> Screen? {
        guard let index = index(of: host), index + 1 < entries.count else { return nil }
        let next = entries[index + 1]
        return next.transition == .present ? next.screen : nil
    }

    /// What stands on or over this screen, topmost first: what goes before it when it is taken off. Empty for one that
    /// isn't there.
    public func screens(above screen: Screen) -> [Screen] {
        guard let index = index(of: screen) else { return [] }
        return entries[(index + 1)...].reversed().map(\.screen)
    }

    /// Puts a screen onto the topmost stack.
    ///
    /// - Returns: its host. Nil, and nothing changes, where the screen is there already or the root was taken off.
    @discardableResult
    public mutating func push(_ screen: Screen) -> Screen? {
        show(screen, by: .push)
    }

    /// Puts a screen over the topmost one, as the root of a stack of its own.
    ///
    /// - Returns: its host. Nil, and nothing changes, where the screen is there already or the root was taken off.
    @discardableResult
    public mutating func present(_ screen: Screen) -> Screen? {
        show(screen, by: .present)
    }

    private mutating func show(_ screen: Screen, by transition: Transition) -> Screen? {
        guard !entries.isEmpty, !contains(screen) else { return nil }
        entries.append(Entry(screen: screen, transition: transition))
        return host(at: entries.count - 1)
    }

    /// Takes a screen off, with all that stands on it or over it.
    ///
    /// - Returns: what was taken off, topmost first and `screen` last. Empty for one that isn't there.
    @discardableResult
    public mutating func remove(_ screen: Screen) -> [Removal] {
        guard let index = index(of: screen) else { return [] }
        var removals: [Removal] = []
        while entries.count > index, let last = entries.last {
            removals.append(
                Removal(screen: last.screen, host: host(at: entries.count - 1), transition: last.transition))
            entries.removeLast()
        }
        return removals
    }

    private func index(of screen: Screen) -> Int? {
        entries.firstIndex { $0.screen == screen }
    }

    private func host(at index: Int) -> Screen? {
        switch entries[index].transition {
        case .push: entries[..<index].last { $0.transition != .push }?.screen
        case .present: entries[..<index].last?.screen
        case nil: nil
        }
    }
}
