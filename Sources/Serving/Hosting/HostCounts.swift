/// How much a host has hosted.
struct HostCounts {
    /// Of one view model, by name.
    struct Model {
        var sessions = 0
        var views = 0
        /// Of all sessions, those that have ended too.
        var events = 0

        mutating func add(events: Int, views: Int) {
            sessions += 1
            self.views += views
            self.events += events
        }
    }

    /// Those that are connected.
    var connections: Int
    /// Those that ever were.
    var allConnections: Int
    var models: [String: Model] = [:]
}
