import LibC

/// Many equal bytes, fast in debug builds too.
func bulk(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        if let start = buffer.baseAddress { memset(start, 65, count) }
        initialized = count
    }
}

/// Many bytes in which a piece that is lost, doubled or moved shows.
func pattern(_ count: Int) -> [UInt8] {
    let period = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + period.count)
    while bytes.count < count { bytes.append(contentsOf: period) }
    bytes.removeLast(bytes.count - count)
    return bytes
}
