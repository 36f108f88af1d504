import LibC

/// The memory of this process, as the C library's allocator has it; all zero with another library than glibc.
package struct ProcessMemory: Sendable {
    /// Bytes that the program has.
    package var usedBytes: Int
    /// Bytes that the program has given back and the allocator keeps for later.
    package var unusedBytes: Int

    package init(usedBytes: Int, unusedBytes: Int) {
        self.usedBytes = usedBytes
        self.unusedBytes = unusedBytes
    }

    /// Takes microseconds.
    package static var now: ProcessMemory {
        var (used, unused) = (0, 0)
        clinux_count_memory(&used, &unused)
        return ProcessMemory(usedBytes: used, unusedBytes: unused)
    }

    /// From here on large blocks go back to the system as soon as they are free, so that the memory of a burst of long
    /// messages isn't kept. For an executable, before its threads.
    package static func returnLargeBlocks() {
        clinux_map_blocks_from(1 << 20)
    }

    /// Gives the unused memory back to the system. Threads that allocate wait for it, so it is for an idle process.
    package static func trim() {
        _ = clinux_trim_memory()
    }
}
