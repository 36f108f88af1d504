#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Knows whether files have come or gone in folders: by inotify, so on Linux alone. Elsewhere nothing is ever watched.
final class FolderWatch: Sendable {
    enum Changes: Int, Comparable {
        case none
        case files
        /// Folders are no longer to be watched, for which another watch is to be made.
        case folders

        static func < (one: Changes, other: Changes) -> Bool { one.rawValue < other.rawValue }
    }

    #if os(Linux)
    private let descriptor: CInt
    private let noticesHidden: Bool

    private static let events =
        UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF)
        | UInt32(IN_ONLYDIR) | UInt32(IN_DONT_FOLLOW)

    /// Nil where the system has no more of them for this user.
    ///
    /// - Parameter noticesHidden: whether files count whose names begin with a dot. `.gitignore` always does.
    init?(noticesHidden: Bool) {
        self.noticesHidden = noticesHidden
        descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
        if descriptor < 0 { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Watches a folder, but not those in it. One that is watched already stays so.
    ///
    /// - Returns: false where the user may watch no more folders.
    func add(_ path: [UInt8]) -> Bool {
        inotify_add_watch(descriptor, cString(path), Self.events) >= 0 || errno != ENOSPC && errno != ENOMEM
    }

    /// What has come or gone since it was asked last. Doesn't wait.
    func takeChanges() -> Changes {
        var changes = Changes.none
        var block = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = block.withUnsafeMutableBytes { block in
                untilUninterrupted { read(descriptor, block.baseAddress, block.count) }
            }
            guard count > 0 else { return changes }
            block.withUnsafeBytes { block in
                var rest = UnsafeRawBufferPointer(rebasing: block[..<count])
                while let event = Event(takenFrom: &rest) {
                    changes = max(changes, event.changes(noticesHidden: noticesHidden))
                }
            }
        }
    }

    private struct Event {
        let mask: UInt32
        /// The name of the file; empty where it is about the folder itself.
        let name: Substring.UTF8View

        init?(takenFrom rest: inout UnsafeRawBufferPointer) {
            let head = MemoryLayout<inotify_event>.size
            guard rest.count >= head else { return nil }
            let event = rest.loadUnaligned(as: inotify_event.self)
            let end = head + Int(event.len)
            guard rest.count >= end else { return nil }
            mask = event.mask
            name = String(decoding: rest[head..<end].prefix { $0 != 0 }, as: UTF8.self)[...].utf8
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }

        func changes(noticesHidden: Bool) -> Changes {
            if mask & UInt32(IN_IGNORED) != 0 { return .none }
            // What was moved out, or is ignored from now on, is still watched with all that is in it.
            if name.elementsEqual(".gitignore".utf8) || mask & UInt32(IN_MOVE_SELF) != 0 { return .folders }
            if mask & UInt32(IN_MOVED_FROM) != 0, mask & UInt32(IN_ISDIR) != 0 { return .folders }
            // What is written into a file doesn't change its name.
            if mask & UInt32(IN_CLOSE_WRITE) != 0 { return .none }
            return noticesHidden || name.first != UInt8(ascii: ".") ? .files : .none
        }
    }
    #else
    init?(noticesHidden: Bool) { return nil }

    func add(_ path: [UInt8]) -> Bool { false }

    func takeChanges() -> Changes { .none }
    #endif
}
