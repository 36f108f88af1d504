import Synchronization

/// Finds the files below a folder, and finds them again whenever some have come or gone.
final class FileFollower: Sendable {
    /// What it tells.
    enum News: Sendable {
        /// Some files. Only the first scan tells them, while it goes on.
        case found(FileBatch)
        /// All files. A scan is over.
        case scanned([FileBatch], FileScan.Summary, isWatched: Bool)
        /// The folder can't be read.
        case failed(FileScan.UnreadableRoot)
    }

    private let scan: FileScan
    private let clock: any Clock<Duration>
    private let isWished = Atomic(false)

    /// So often it is looked whether files have come or gone, and no more often the folder is read.
    private static let pause = Duration.milliseconds(500)

    /// - Parameter clock: measures the pauses.
    init(_ scan: FileScan, clock: any Clock<Duration>) {
        self.scan = scan
        self.clock = clock
    }

    /// Scans once more, soon.
    func refresh() {
        isWished.store(true, ordering: .relaxed)
    }

    /// Scans, and scans again, until its task is cancelled.
    func run(_ tell: @escaping @Sendable (News) async -> Void) async {
        var watch = FolderWatch(noticesHidden: scan.findsHidden)
        await scan(watch, tellsFiles: true, tell)
        while true {
            do { try await clock.sleep(for: Self.pause) } catch { return }
            let isWished = isWished.exchange(false, ordering: .relaxed)
            // Both: what has come until now is found by the same scan.
            let changes = watch?.takeChanges() ?? .none
            guard changes != .none || isWished else { continue }
            if changes == .folders { watch = FolderWatch(noticesHidden: scan.findsHidden) }
            await scan(watch, tellsFiles: false, tell)
        }
    }

    private func scan(
        _ watch: FolderWatch?, tellsFiles: Bool, _ tell: @escaping @Sendable (News) async -> Void
    ) async {
        let batches = Mutex<[FileBatch]>([])
        let isWatched = Atomic(watch != nil)
        let root = Array(scan.root.utf8)
        do {
            let summary = try await scan.run { folder in
                // Before it is read, so that what comes meanwhile is seen by the one or by the other.
                guard let watch, isWatched.load(ordering: .relaxed) else { return }
                let path = folder.isEmpty ? root : root + [UInt8(ascii: "/")] + folder
                if !watch.add(path) { isWatched.store(false, ordering: .relaxed) }
            } deliver: { batch in
                batches.withLock { $0.append(batch) }
                if tellsFiles { await tell(.found(batch)) }
            }
            await tell(.scanned(batches.withLock { $0 }, summary, isWatched: isWatched.load(ordering: .relaxed)))
        } catch let error as FileScan.UnreadableRoot {
            await tell(.failed(error))
        } catch {
            // Cancelled.
        }
    }
}
