import LibC

/// The memory of this process, as the C library's allocator counts it; all zero with a C library other than glibc.
package struct ProcessMemory: Sendable {
    /// The bytes that the program has allocated.
    package var usedBytes: Int
    /// The bytes that the program has freed and the allocator keeps for later.
    package var unusedBytes: Int

    package init(usedBytes: Int, unusedBytes: Int) {
        self.usedBytes = usedBytes
        self.unusedBytes = unusedBytes
    }

    /// The memory now. Reading it takes microseconds.
    package static var now: ProcessMemory {
        var (used, unused) = (0, 0)
        clinux_count_memory(&used, &unused)
        return ProcessMemory(usedBytes: used, unusedBytes: unused)
    }

    /// Makes the allocator return large blocks to the system as soon as they are free, so that the memory of a burst of long
    /// messages isn't kept. Called by an executable, before it starts threads.
    package static func returnLargeBlocks() {
        clinux_map_blocks_from(1 << 20)
    }

    /// Returns the unused memory to the system. Threads that allocate are blocked meanwhile, so this is for an idle process.
    package static func trim() {
        _ = clinux_trim_memory()
    }
}
