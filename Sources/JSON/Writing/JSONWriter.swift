/// A writer of JSON into memory of its own, which grows as needed. The text is compact and never has a raw newline.
///
/// The writer places commas: one before each value or key if the byte before ends a value. So it has no state but the bytes,
/// and `truncate` can take back anything. The caller must close each bracket that it opens, and write keys in objects only;
/// neither is checked.
///
/// As other modules use the writer on the hot path (benchmark `stdio-rows`), `@usableFromInline` and `@inlinable` let them
/// inline it. Its memory is raw, because an array checks for uniqueness at each append.
@usableFromInline
package struct JSONWriter: ~Copyable {
    @usableFromInline var base: UnsafeMutableRawPointer
    @usableFromInline var length = 0
    @usableFromInline var capacity: Int

    package init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        base = .allocate(byteCount: self.capacity, alignment: 1)
    }

    deinit {
        base.deallocate()
    }

    /// The length of the text in bytes.
    @inlinable package var count: Int { length }

    @inlinable
    package borrowing func withUnsafeBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: length))
    }

    /// Returns a copy of the text and empties the writer, whose capacity stays.
    package mutating func takeBytes() -> [UInt8] {
        let bytes = [UInt8](UnsafeRawBufferPointer(start: base, count: length))
        length = 0
        return bytes
    }

    /// Removes the text. Frees capacity above `keptCapacity`, so that one large message doesn't hold memory for ever.
    package mutating func removeAll(keptCapacity: Int = .max) {
        length = 0
        guard capacity > max(keptCapacity, 16) else { return }
        self = JSONWriter(capacity: keptCapacity)
    }

    /// Takes back everything that was written since `count` had this value.
    package mutating func truncate(to count: Int) {
        length = min(length, max(0, count))
    }

    @inlinable @inline(__always)
    package mutating func beginObject() {
        beginValue()
        append(ASCII.openBrace)
    }

    @inlinable
    package mutating func endObject() {
        append(ASCII.closeBrace)
    }

    @inlinable @inline(__always)
    package mutating func beginArray() {
        beginValue()
        append(ASCII.openBracket)
    }

    @inlinable
    package mutating func endArray() {
        append(ASCII.closeBracket)
    }

    @inlinable
    package mutating func boolean(_ value: Bool) {
        beginValue()
        literal(value ? "true" : "false")
    }

    @inlinable
    package mutating func null() {
        beginValue()
        literal("null")
    }
}
