import LibC

/// The index of a log, which all connections share (SQLite's WAL format, 4.1). It is opened here beside SQLite, and must not
/// be closed before the database: closing it would release SQLite's own locks on it.
struct SQLiteLogIndex {
    private var descriptor: Int32 = -1

    var isOpen: Bool { descriptor >= 0 }

    /// Opens the index. Does nothing where it is open.
    mutating func open(_ path: String) {
        if !isOpen { descriptor = LibC.open(path, O_RDONLY | O_CLOEXEC) }
    }

    mutating func close() {
        guard isOpen else { return }
        _ = LibC.close(descriptor)
        descriptor = -1
    }

    /// The number of frames in the log (`mxFrame`), including those that are in the file already.
    var frameCount: Int { Int(number(at: 16) ?? 0) }

    /// Whether the whole log is in the file, also where another program has written it there (`nBackfill`).
    var isWrittenBack: Bool {
        let count = number(at: 16)
        return count != nil && count == number(at: 96)
    }

    /// The least size in bytes that the log must have (`szPage`).
    var leastSize: Int64 {
        var pageSize: UInt16 = 0
        let size = MemoryLayout.size(ofValue: pageSize)
        guard frameCount > 0, pread(descriptor, &pageSize, size, 14) == size else { return 0 }
        return 32 + Int64(frameCount) * (24 + (pageSize == 1 ? 65_536 : Int64(pageSize)))
    }

    private func number(at place: off_t) -> UInt32? {
        var number: UInt32 = 0
        let size = MemoryLayout.size(ofValue: number)
        return pread(descriptor, &number, size, place) == size ? number : nil
    }
}
