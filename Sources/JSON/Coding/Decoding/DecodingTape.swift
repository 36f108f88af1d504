/// The places of all values in a text: one entry for each value, in the order of the text, found in one pass.
///
/// Entries, and not `JSONValue`s, so that a container finds a member by comparing keys, with no pass over the values in
/// between. An entry takes twelve bytes: together at most twelve times the memory of the text, and less than the text's own for
/// usual texts.
///
/// The tape borrows the text: `clear` must be called before the text's memory is freed. A container that outlives the tape's
/// text throws and never reads freed memory.
final class DecodingTape {
    let entries = TrivialStack<Entry>(capacity: 16)
    @exclusivity(unchecked) private(set) var text = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The entry of the value that is decoded. Paths are relative to it.
    @exclusivity(unchecked) var root = 0

    /// Parses a text that is one value.
    ///
    /// - Parameter path: the place of the value in the message; errors begin with it.
    func fill(_ text: UnsafeRawBufferPointer, at path: JSONPointer) throws(JSONCodingError) {
        guard text.count <= Entry.maximumTextBytes else {
            throw JSONCodingError(path: path, reason: "larger than \(Entry.maximumTextBytes) bytes")
        }
        do throws(JSONError) {
            _ = try fill(JSONGrammar(text, maximumDepth: CodingLimits.depth), from: 0, insideOf: 0)
        } catch {
            throw JSONCodingError(path: path, reason: "\(error.reason)")
        }
    }

    /// Parses the value at `start` of a text, and returns the value's end.
    func fill(_ grammar: JSONGrammar, from start: Int, insideOf outerDepth: Int) throws(JSONError) -> Int {
        text = grammar.bytes
        entries.truncate(to: 0)
        var builder = TapeBuilder(entries: entries)
        return try grammar.endOfValue(from: start, insideOf: outerDepth, &builder)
    }

    /// Takes over a text and its entries, as `copyObject` copied them.
    func fill(_ text: UnsafeRawBufferPointer, _ copied: UnsafeBufferPointer<Entry>) {
        self.text = text
        entries.replaceAll(with: copied)
    }

    /// Returns the text of the object at `index`.
    func text(ofObject index: Int) -> UnsafeRawBufferPointer {
        text.part(from: entries.elements[index].offset, to: entries.elements[index &+ 1].length)
    }

    /// Copies the entries of the object at `index`, with offsets and indices relative to the object.
    ///
    /// - Parameter copies: memory for all entries of the object.
    func copyObject(_ index: Int, to copies: UnsafeMutablePointer<Entry>) {
        guard let bytes = text.baseAddress else { return }
        let (first, offset) = (entries.elements + index, entries.elements[index].offset)
        let count = first.pointee.length &- index
        copies.initialize(from: first, count: count)
        var next = 0
        while next < count {
            let byte = bytes.load(fromByteOffset: copies[next].offset, as: UInt8.self)
            let isContainer = byte | 0x20 == ASCII.openBrace
            copies[next].move(offset: offset, length: isContainer ? index : 0)
            next &+= 1
            guard byte == ASCII.openBrace else { continue }
            copies[next].move(offset: index, length: offset)
            next &+= 1
        }
    }

    /// Forgets the borrowed text, and frees memory beyond what usual texts need.
    func clear() {
        text = UnsafeRawBufferPointer(start: nil, count: 0)
        entries.removeAll(keptCapacity: 4096)
        root = 0
    }

    var isValid: Bool { entries.count > 0 }

    /// Returns an entry, or throws if it is gone. Every access from a container comes through here.
    @inline(__always)
    func entry(_ index: Int) throws -> Entry {
        guard index < entries.count else { throw Self.outlived }
        return entries[index]
    }

    static let outlived = DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "this decoder was used after its decoding ended"))
}

extension DecodingTape {
    /// The entry of a value or a key. An object's entry is followed by one for the object's own bookkeeping, then by those of
    /// its key, value, key, value, …; an array's entry by those of its elements.
    struct Entry: BitwiseCopyable {
        /// The offset in the text where the value starts. In a bookkeeping entry, the index of the entry behind the member that
        /// was found last.
        var start: UInt32
        /// The number of bytes of a string or scalar. For a container, the index of the entry behind its last one. In a
        /// bookkeeping entry, the offset in the text where the object ends.
        private var extent: UInt32
        /// Whether the text of a string or key contains escapes.
        let hasEscapes: Bool
        /// For a key, whether a later member has the same name, so that this one doesn't count. In a bookkeeping entry, whether
        /// the object's keys were compared.
        var isShadowed = false

        static let maximumTextBytes = Int(UInt32.max)

        init(start: Int, extent: Int, hasEscapes: Bool = false) {
            self.start = UInt32(truncatingIfNeeded: start)
            self.extent = UInt32(truncatingIfNeeded: extent)
            self.hasEscapes = hasEscapes
        }

        var offset: Int { Int(start) }

        var length: Int {
            get { Int(extent) }
            set { extent = UInt32(truncatingIfNeeded: newValue) }
        }

        /// Makes the start and the extent relative to a later origin.
        fileprivate mutating func move(offset: Int, length: Int) {
            start &-= UInt32(truncatingIfNeeded: offset)
            extent &-= UInt32(truncatingIfNeeded: length)
        }
    }
}

/// A visitor that appends a tape's entries. While a container is open, its entry's `length` is the index of its parent's entry.
private struct TapeBuilder: ValueVisitor {
    let entries: TrivialStack<DecodingTape.Entry>
    var parent = 0

    @inline(__always)
    mutating func open(at offset: Int, isObject: Bool) {
        entries.append(DecodingTape.Entry(start: offset, extent: parent))
        parent = entries.count &- 1
        if isObject { entries.append(DecodingTape.Entry(start: entries.count &+ 1, extent: 0)) }
    }

    mutating func close(at offset: Int, isObject: Bool) {
        let outer = entries[parent].length
        entries[parent].length = entries.count
        if isObject { entries[parent &+ 1].length = offset &+ 1 }
        parent = outer
    }

    @inline(__always)
    func visit(from start: Int, to end: Int, hasEscapes: Bool) {
        entries.append(DecodingTape.Entry(start: start, extent: end &- start, hasEscapes: hasEscapes))
    }
}

/// Paths and errors.
extension DecodingTape {
    /// Returns the steps from `root` to the value at `target`, found by walking down. So a path costs nothing until somebody
    /// asks, which is nearly always after an error.
    func codingPath(to target: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var container = root
        while container < target, let entry = try? entry(container), isContainer(entry) {
            // The first key is behind the object's bookkeeping, and each value behind its key.
            let isObject = text[entry.offset] == ASCII.openBrace
            var (child, position) = (container + (isObject ? 3 : 1), 0)
            while child < entry.length, let next = try? index(after: child), next <= target {
                (child, position) = (isObject ? next + 1 : next, position + 1)
            }
            guard child < entry.length else { break }
            path.append(isObject ? PathKey.member(stringText(entries[child - 1]).string()) : .index(position))
            container = child
        }
        return path
    }

    func corrupted(at index: Int, _ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath(to: index), debugDescription: reason))
    }

    /// Returns an error such as "expected an integer but found a string".
    func mismatch(_ type: any Any.Type, at index: Int, expected: String) -> any Error {
        guard isValid, let kind = try? kind(at: index) else { return Self.outlived }
        let context = DecodingError.Context(
            codingPath: codingPath(to: index), debugDescription: "expected \(expected) but found \(kind)")
        return kind == .null ? DecodingError.valueNotFound(type, context) : DecodingError.typeMismatch(type, context)
    }
}
