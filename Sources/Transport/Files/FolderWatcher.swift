import LibC

/// Reports changes of files in folders, including folders that are made later. It uses inotify, which needs no polling. Where
/// the system has no watches left, it compares the folders every second.
///
/// Confined to its loop, which retains it until it is closed.
package final class FolderWatcher: Registrant {
    package enum Kind: Sendable {
        /// Uses inotify(7).
        case kernel
        /// Compares times and sizes of files regularly.
        case looking
    }

    /// The time between two comparisons.
    package static let interval: Duration = .seconds(1)

    private let folders: [WatchedFolder]
    private let loop: EventLoop
    private let didChange: (String) -> Void
    private let didFallBack: (SystemError) -> Void
    private var kernel: KernelWatch?
    private var registration: RegistrationToken?
    private var scan: FolderScan?
    private var timer: LoopTimer?

    /// Begins to watch. Called on the loop only.
    ///
    /// - Parameters:
    ///   - kind: with `looking`, the kernel isn't asked.
    ///   - didChange: called on the loop with the path of a file or folder that was written, made, moved or removed; more
    ///     than once for a file that is written in several steps.
    ///   - didFallBack: called on the loop, at most once, perhaps during this call, when the kernel can't watch all folders,
    ///     so that they are compared from now on.
    package init(
        _ folders: [WatchedFolder], kind: Kind = .kernel, on loop: EventLoop,
        didChange: @escaping (String) -> Void, didFallBack: @escaping (SystemError) -> Void = { _ in }
    ) {
        loop.preconditionIsCurrent()
        self.folders = folders
        self.loop = loop
        self.didChange = didChange
        self.didFallBack = didFallBack
        switch kind {
        case .kernel: watch()
        case .looking: look()
        }
    }

    /// The way in which changes are found now. Read on the loop only.
    package var kind: Kind { scan == nil ? .kernel : .looking }

    /// Stops watching. Called on the loop only; more than once is fine.
    package func close() {
        loop.preconditionIsCurrent()
        if let registration { loop.core.withdraw(registration) }
        registration = nil
        kernel = nil
        timer?.cancel()
        timer = nil
    }

    func loopWillEnd() {
        close()
    }

    private func watch() {
        do throws(SystemError) {
            var kernel = try KernelWatch(folders)
            let registration = loop.core.register(self, descriptor: kernel.descriptorNumber)
            self.registration = registration
            try loop.core.setInterest(.read, of: registration)
            try kernel.watchAll()
            self.kernel = consume kernel
        } catch {
            fallBack(because: error)
        }
    }

    func didBecomeReady(_ readiness: Interest) {
        guard kernel != nil else { return }
        do throws(SystemError) {
            let changes = try kernel?.read() ?? []
            for change in changes where registration != nil { didChange(change) }
        } catch {
            fallBack(because: error)
            // Some of the changes are lost.
            didChange(folders.first?.path ?? "")
        }
    }

    private func fallBack(because error: SystemError) {
        close()
        look()
        didFallBack(error)
    }

    /// Begins to compare folders. Registers without a descriptor, so that the loop retains the watcher.
    private func look() {
        registration = loop.core.register(self)
        scan = FolderScan(of: folders)
        lookAgain()
    }

    private func lookAgain() {
        let bound = LoopBound(self, loop: loop)
        timer = loop.schedule(after: Self.interval) { bound.value.compare() }
    }

    private func compare() {
        guard registration != nil, let before = scan else { return }
        let now = FolderScan(of: folders)
        scan = now
        lookAgain()
        for change in now.changes(since: before) where registration != nil { didChange(change) }
    }
}

/// An inotify descriptor, with a watch for each watched folder and each folder in it.
private struct KernelWatch: ~Copyable {
    private struct Place: Equatable {
        /// The index of the watched folder in `folders`.
        let root: Int
        let relative: String
    }

    private let folders: [WatchedFolder]
    private let descriptor: Descriptor
    private var places: [Int32: Place] = [:]

    private static let events =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
        | UInt32(IN_ONLYDIR)

    /// - Throws: where the user has as many inotify instances as the system allows.
    init(_ folders: [WatchedFolder]) throws(SystemError) {
        self.folders = folders
        let number = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard number >= 0 else {
            let code = errno
            let reason = "the user's limit of watchers is reached (fs.inotify.max_user_instances)"
            throw SystemError(code: code, call: "inotify_init1", reason: code == EMFILE ? reason : nil)
        }
        descriptor = Descriptor(owning: number)
    }

    var descriptorNumber: Int32 { descriptor.number }

    /// Watches all folders.
    ///
    /// - Throws: where the system has no watches left.
    mutating func watchAll() throws(SystemError) {
        for root in folders.indices { _ = try watch(Place(root: root, relative: "")) }
    }

    /// Watches a folder and the folders in it.
    ///
    /// - Returns: whether there are files in it.
    private mutating func watch(_ place: Place) throws(SystemError) -> Bool {
        var hasFiles = false
        var found: [(Int32, Place)] = []
        let root = folders[place.root]
        // The watch is added before the folder is listed, so that nothing that is made meanwhile is missed.
        try root.visit(from: place.relative) { (relative) throws(SystemError) in
            guard let watch = try add(root.path(of: relative)) else { return }
            found.append((watch, Place(root: place.root, relative: relative)))
        } file: { (_) throws(SystemError) in
            hasFiles = true
        }
        for (watch, place) in found { places[watch] = place }
        return hasFiles
    }

    /// Adds a watch; nil where the folder is gone, or can't be read.
    private func add(_ path: String) throws(SystemError) -> Int32? {
        let watch = inotify_add_watch(descriptor.number, path, Self.events)
        if watch >= 0 { return watch }
        guard ![ENOSPC, ENOMEM].contains(errno) else {
            let reason = "the system's limit of watches is reached (fs.inotify.max_user_watches)"
            throw SystemError(code: errno, call: "watch", subject: path, reason: reason)
        }
        return nil
    }

    /// Returns the paths of all changes that the kernel has reported.
    ///
    /// - Throws: where the system has no watches left for a new folder.
    mutating func read() throws(SystemError) -> [String] {
        var changes: [String] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = buffer.withUnsafeMutableBytes { LibC.read(descriptor.number, $0.baseAddress, $0.count) }
            guard count > 0 else { return changes }
            for event in Self.events(in: buffer[..<count]) { try take(event, &changes) }
        }
    }

    private struct Event {
        let watch: Int32
        let mask: UInt32
        let name: String

        func has(_ flag: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: flag) != 0 }
    }

    private static func events(in bytes: ArraySlice<UInt8>) -> [Event] {
        var events: [Event] = []
        bytes.withUnsafeBytes { bytes in
            let header = MemoryLayout<inotify_event>.size
            var offset = 0
            while offset + header <= bytes.count {
                let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let end = min(offset + header + Int(event.len), bytes.count)
                let name = String(decoding: bytes[(offset + header)..<end].prefix { $0 != 0 }, as: UTF8.self)
                events.append(Event(watch: event.wd, mask: event.mask, name: name))
                offset = end
            }
        }
        return events
    }

    private mutating func take(_ event: Event, _ changes: inout [String]) throws(SystemError) {
        if event.has(IN_Q_OVERFLOW) {
            // There were more changes at once than the kernel keeps.
            places = [:]
            try watchAll()
            changes.append(folders.first?.path ?? "")
            return
        }
        if event.has(IN_IGNORED) {
            places[event.watch] = nil
            return
        }
        guard let folder = places[event.watch], !event.name.isEmpty else { return }
        let relative = folder.relative.isEmpty ? event.name : "\(folder.relative)/\(event.name)"
        guard folders[folder.root].includes(relative) else { return }
        let place = Place(root: folder.root, relative: relative)
        if event.has(IN_ISDIR) {
            try takeFolder(event, place, &changes)
        } else if !event.has(IN_CREATE) || isLink(place) {
            // Otherwise, a new file is reported when it has been written.
            changes.append(folders[place.root].path(of: relative))
        }
    }

    private mutating func takeFolder(_ event: Event, _ place: Place, _ changes: inout [String]) throws(SystemError) {
        if event.has(IN_CREATE) || event.has(IN_MOVED_TO) {
            // Files may have been made in the folder before it was watched. An empty folder changes nothing.
            guard try watch(place) else { return }
        } else if event.has(IN_MOVED_FROM) {
            forget(place)
        }
        changes.append(folders[place.root].path(of: place.relative))
    }

    /// Ends the watches in a folder that was moved away. Where the folder comes back, it gets new ones.
    private mutating func forget(_ place: Place) {
        let inside = places.filter { _, other in
            other.root == place.root && (other == place || other.relative.hasPrefix("\(place.relative)/"))
        }
        for watch in inside.keys {
            inotify_rm_watch(descriptor.number, watch)
            places[watch] = nil
        }
    }

    /// Returns whether a file is a link or has several names. Such a file isn't written after it was made.
    private func isLink(_ place: Place) -> Bool {
        var status = stat()
        guard lstat(folders[place.root].path(of: place.relative), &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFLNK || status.st_nlink > 1
    }
}
