/// The screens that are shown: a root, the screens pushed onto its stack, and those presented over them with stacks of
/// their own.
///
/// It is a value that only knows the rules. A server uses it, and an application's own `Navigator` can.
///
/// An opened or presented screen is the root of a stack, onto which others are pushed. A presented screen covers the
/// topmost one. So every screen but the first has a *host*: for a pushed screen the root of its stack, for a presented
/// screen the one that it covers.
///
/// ```swift
/// var tree = NavigationTree(root: "orders")
/// tree.push("details")      // hosted by "orders"
/// tree.present("confirm")   // hosted by "details"
/// tree.remove("details")    // takes off "confirm", then "details"
/// ```
///
/// A screen is known by its value, so each is in the tree once. Every member takes time in proportion to the number of
/// screens, at most.
public struct NavigationTree<Screen: Hashable & Sendable>: Sendable {
    private struct Entry {
        let screen: Screen
        /// How the screen came on top; nil for the root alone.
        let transition: Transition?
        /// The index of the screen's host; nil for the root.
        let host: Int?
        /// The index of the root of the stack that the screen is on, which may be the screen itself.
        let stack: Int
    }

    /// The screens, bottom first, since everything new comes on top. A presented screen begins a stack, which the pushed
    /// screens that follow belong to.
    private var entries: [Entry]
    /// The index of each screen in `entries`, so that finding one takes no longer where there are many.
    private var places: [Screen: Int]

    /// A tree with one screen.
    ///
    /// - Parameter root: the screen that a client opened, or an application's first screen.
    public init(root: Screen) {
        entries = [Entry(screen: root, transition: nil, host: nil, stack: 0)]
        places = [root: 0]
    }

    /// How many screens there are; 0 once the root was taken off.
    public var count: Int { entries.count }

    /// The topmost screen; nil once the root was taken off.
    public var top: Screen? { entries.last?.screen }

    /// The screen that a `pop` takes off: the last one pushed onto the topmost stack. Nil when only that stack's root
    /// is left, or nothing is.
    public var popped: Screen? {
        entries.last.flatMap { $0.transition == .push ? $0.screen : nil }
    }

    /// The screen that a `dismiss` takes off: the root of the topmost stack. Nil unless that root was presented.
    public var dismissed: Screen? {
        entries.last { $0.transition == .present }?.screen
    }

    /// Whether this screen is in the tree.
    public func contains(_ screen: Screen) -> Bool {
        index(of: screen) != nil
    }

    /// The screen that this one was pushed or presented on; nil for the root and for a screen that isn't there.
    public func host(of screen: Screen) -> Screen? {
        index(of: screen).flatMap { host(at: $0) }
    }

    /// The screens pushed onto the stack whose root is `host`, bottom first and without the root. Empty where `host` is
    /// no stack's root.
    public func stack(on host: Screen) -> [Screen] {
        guard let index = index(of: host), entries[index].transition != .push else { return [] }
        return entries[(index + 1)...].prefix { $0.transition == .push }.map(\.screen)
    }

    /// The screen that was presented over `host`, and still is; nil where there is none.
    public func presented(over host: Screen) -> Screen? {
        guard let index = index(of: host), index + 1 < entries.count else { return nil }
        let next = entries[index + 1]
        return next.transition == .present ? next.screen : nil
    }

    /// The screens on or over this one, topmost first: those that `remove(_:)` takes off before it. Empty for a screen
    /// that isn't in the tree.
    public func screens(above screen: Screen) -> [Screen] {
        guard let index = index(of: screen) else { return [] }
        return entries[(index + 1)...].reversed().map(\.screen)
    }

    /// Puts a screen onto the topmost stack.
    ///
    /// - Parameter screen: not in the tree yet.
    /// - Returns: the new screen's host. Nil, and nothing changes, where the screen is in the tree already or the root
    ///   was taken off.
    @discardableResult
    public mutating func push(_ screen: Screen) -> Screen? {
        show(screen, by: .push)
    }

    /// Puts a screen over the topmost one, as the root of a stack of its own.
    ///
    /// - Parameter screen: not in the tree yet.
    /// - Returns: the new screen's host. Nil, and nothing changes, where the screen is in the tree already or the root
    ///   was taken off.
    @discardableResult
    public mutating func present(_ screen: Screen) -> Screen? {
        show(screen, by: .present)
    }

    private mutating func show(_ screen: Screen, by transition: Transition) -> Screen? {
        guard let top = entries.last, !contains(screen) else { return nil }
        let place = entries.count
        let isPushed = transition == .push
        let host = isPushed ? top.stack : place - 1
        entries.append(
            Entry(screen: screen, transition: transition, host: host, stack: isPushed ? top.stack : place))
        places[screen] = place
        return entries[host].screen
    }

    /// Takes a screen off, with everything on or over it.
    ///
    /// - Returns: the screens that were taken off, topmost first and `screen` last. Empty for a screen that
    ///   isn't in the tree.
    @discardableResult
    public mutating func remove(_ screen: Screen) -> [Removal] {
        guard let index = index(of: screen) else { return [] }
        var removals: [Removal] = []
        while entries.count > index, let last = entries.last {
            removals.append(
                Removal(screen: last.screen, host: host(at: entries.count - 1), transition: last.transition))
            entries.removeLast()
            places[last.screen] = nil
        }
        return removals
    }

    private func index(of screen: Screen) -> Int? { places[screen] }

    private func host(at index: Int) -> Screen? { entries[index].host.map { entries[$0].screen } }
}

extension NavigationTree {
    /// A screen that was taken off, as `remove(_:)` returns it.
    public struct Removal: Sendable, Equatable {
        /// The screen that was taken off.
        public let screen: Screen
        /// The screen that it was pushed or presented on, which may be taken off next; nil for the root.
        public let host: Screen?
        /// How it came on top; nil for the root.
        public let transition: Transition?

        /// A removal, for a test to compare with.
        public init(screen: Screen, host: Screen?, transition: Transition?) {
            self.screen = screen
            self.host = host
            self.transition = transition
        }
    }
}
