extension NavigationTree {
    /// A screen that was taken off.
    public struct Removal: Sendable, Equatable {
        /// What was taken off.
        public let screen: Screen
        /// What it stood on or covered, which may be taken off next; nil for the root.
        public let host: Screen?
        /// How it had come there; nil for the root.
        public let transition: Transition?

        /// A removal as `remove(_:)` tells it.
        public init(screen: Screen, host: Screen?, transition: Transition?) {
            self.screen = screen
            self.host = host
            self.transition = transition
        }
    }
}
