import FoundationEssentials
import LibC

/// A folder for a file of SQLite, in memory where the system has such a place, removed when it is released.
final class SimulationFolder {
    private let path: String

    init() {
        let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        path = "\(place)/vms-simulation-\(UUID().uuidString.prefix(8))"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var file: String { "\(path)/store.db" }
}
