import Synchronization

/// A copy of a message's value, to be decoded later on any thread. Of an object the text is copied, together with the tape's
/// entries if they are few. Of any other value only the kind is kept.
package struct KeptValue: Sendable {
    private typealias Entry = DecodingTape.Entry
    /// Inline memory for short objects. Nearly all events fit, and need no allocation.
    private typealias Short = (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    )

    /// The most entries that are copied; each takes twelve bytes. An object with more is parsed again when it is decoded: the
    /// limit for values that wait in a session counts their text only, and thousands may wait.
    private static let maximumEntries = 128
    /// The size, in bytes of text and entries together, above which `release(keeping:)` frees a value's memory.
    package static let longestHeld = 4_096

    package let kind: JSONValue.Kind
    private let entryCount: Int
    private let textCount: Int
    // The object's entries followed by its text: here if short, otherwise in `place`.
    private var short: Short = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    private let place: Place

    private enum Place {
        case here
        case memory(KeptMemory)
        case releasable(ReleasableMemory)
    }

    package init(_ value: ParsedValue) {
        kind = value.kind
        guard kind == .object else {
            (entryCount, textCount, place) = (0, 0, .here)
            return
        }
        let (tape, index) = (value.tape, value.index)
        let text = tape.text(ofObject: index)
        let count = tape.entries.elements[index].length &- index
        entryCount = count <= Self.maximumEntries ? count : 0
        textCount = text.count
        let byteCount = entryCount &* MemoryLayout<Entry>.stride &+ textCount
        if byteCount <= MemoryLayout<Short>.size {
            place = .here
            let entryCount = entryCount
            withUnsafeMutablePointer(to: &short) { Self.copy(tape, index, text, to: $0, entryCount) }
        } else {
            let memory = KeptMemory(byteCount: byteCount)
            place = byteCount <= Self.longestHeld ? .memory(memory) : .releasable(ReleasableMemory(memory))
            Self.copy(tape, index, text, to: memory.bytes, entryCount)
        }
    }

    private static func copy(
        _ tape: DecodingTape, _ index: Int, _ text: UnsafeRawBufferPointer, to memory: UnsafeMutableRawPointer,
        _ entryCount: Int
    ) {
        if entryCount > 0 { tape.copyObject(index, to: memory.bindMemory(to: Entry.self, capacity: entryCount)) }
        guard let base = text.baseAddress else { return }
        (memory + entryCount &* MemoryLayout<Entry>.stride).copyMemory(from: base, byteCount: text.count)
    }

    @inline(__always)
    private func withContents<R, E: Error>(
        _ body: (UnsafeRawBufferPointer, UnsafeBufferPointer<Entry>) throws(E) -> R
    ) throws(E) -> R {
        let memory: KeptMemory?
        switch place {
        case .here:
            return try withUnsafePointer(to: short) { short throws(E) in try body(text(in: short), entries(in: short)) }
        case .memory(let kept): memory = kept
        case .releasable(let releasable): memory = releasable.memory
        }
        defer { withExtendedLifetime(memory) {} }
        guard let bytes = memory?.bytes else {
            return try body(UnsafeRawBufferPointer(start: nil, count: 0), UnsafeBufferPointer(start: nil, count: 0))
        }
        return try body(text(in: bytes), entries(in: bytes))
    }

    private func text(in memory: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + entryCount &* MemoryLayout<Entry>.stride, count: textCount)
    }

    private func entries(in memory: UnsafeRawPointer) -> UnsafeBufferPointer<Entry> {
        UnsafeBufferPointer(start: memory.assumingMemoryBound(to: Entry.self), count: entryCount)
    }

    /// Frees the memory of a long value, which can't be decoded from then on. A short value stays as it is.
    ///
    /// - Parameter name: the member for which `shortString(_:)` still returns its value.
    package func release(keeping name: StaticString) {
        guard case .releasable(let memory) = place else { return }
        memory.release(keeping: shortString(name))
    }

    /// Returns the value of the member `name`, if it is a string of at most 100 bytes, quotes included; otherwise nil.
    package func shortString(_ name: StaticString) -> String? {
        if case .releasable(let memory) = place, let kept = memory.keptString { return kept }
        return withContents { text, _ in
            guard kind == .object, !text.isEmpty else { return nil }
            var found: JSONValue?
            JSONValue(validated: text).forEachMember { key, value in if key == name { found = value } }
            guard let found, found.kind == .string, found.text.count <= 100 else { return nil }
            return found.string()
        }
    }

    /// Calls `body` with a decoding state whose tape holds the object.
    func decode<R>(at path: JSONPointer, _ body: (DecodingState) throws -> R) throws(JSONCodingError) -> R {
        try withContents { text, entries throws(JSONCodingError) in
            let lent = DecodingState.take()
            defer { DecodingState.giveBack(lent) }
            let state = lent.takeUnretainedValue()
            if entries.isEmpty { try state.tape.fill(text, at: path) } else { state.tape.fill(text, entries) }
            return try state.decode(0, at: path, body)
        }
    }
}

// Unchecked, because the memory is raw: it is written before anybody else refers to this object, and only read from then on.
private final class KeptMemory: @unchecked Sendable {
    let bytes: UnsafeMutableRawPointer

    init(byteCount: Int) {
        bytes = .allocate(byteCount: byteCount, alignment: MemoryLayout<UInt64>.alignment)
    }

    deinit {
        bytes.deallocate()
    }
}

/// Memory that can be freed before the `KeptValue` that refers to it.
private final class ReleasableMemory: Sendable {
    private let contents: Mutex<(memory: KeptMemory?, string: String?)>

    init(_ memory: KeptMemory) { contents = Mutex((memory, nil)) }

    /// The memory; nil once it was released.
    var memory: KeptMemory? { contents.withLock { $0.memory } }
    var keptString: String? { contents.withLock { $0.string } }

    func release(keeping string: String?) { contents.withLock { $0 = (nil, string) } }
}
