import CBenchmarking

/// What this process has asked of the C library and not given back, in bytes.
package enum AllocatedMemory {
    package static var bytes: Int { Int(clamping: cbenchmarking_allocated_bytes()) }
}
