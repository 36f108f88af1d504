/// Where the values of one text are: an entry a value, in the order of the text, found in one pass.
///
/// Entries instead of `JSONValue`s because a container finds a member by comparing keys, with no pass over values in
/// between. They take twelve bytes each: at most twelve times the memory of the text, and less than its own for usual
/// texts.
///
/// Borrows the text: `clear` must be called before the text's memory goes. A container that outlives that throws and
/// never reads freed memory.
final class DecodingTape {
    let entries = TrivialStack<Entry>(capacity: 16)
    @exclusivity(unchecked) private(set) var text = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The entry of the value that is decoded. Paths begin there.
    @exclusivity(unchecked) var root = 0

    /// - Parameter path: where errors begin.
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

    /// Takes the values of one value of a text, and returns its end.
    func fill(_ grammar: JSONGrammar, from start: Int, insideOf outerDepth: Int) throws(JSONError) -> Int {
        text = grammar.bytes
        entries.truncate(to: 0)
        var builder = TapeBuilder(entries: entries)
        return try grammar.endOfValue(from: start, insideOf: outerDepth, &builder)
    }

    /// Takes the values of a text, as `copyObject` made them.
    func fill(_ text: UnsafeRawBufferPointer, _ copied: UnsafeBufferPointer<Entry>) {
        self.text = text
        entries.replaceAll(with: copied)
    }

    /// The text of the object at `index`.
    func text(ofObject index: Int) -> UnsafeRawBufferPointer {
        text.part(from: entries.elements[index].offset, to: entries.elements[index &+ 1].length)
    }

    /// Copies the entries of the object at `index`, as they are of its text alone.
    ///
    /// - Parameter copies: has room for as many.
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

    /// Gives the text back, and memory beyond what usual texts need.
    func clear() {
        text = UnsafeRawBufferPointer(start: nil, count: 0)
        entries.removeAll(keptCapacity: 4096)
        root = 0
    }

    var isValid: Bool { entries.count > 0 }

    /// Every access from a container comes through here.
    @inline(__always)
    func entry(_ index: Int) throws -> Entry {
        guard index < entries.count else { throw Self.outlived }
        return entries[index]
    }

    static let outlived = DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "this decoder was used after its decoding ended"))
}

extension DecodingTape {
    /// A value or a key. An object's entry is followed by one for the object's own bookkeeping, then key, value, key,
    /// value, …; an array's entry by its elements.
    struct Entry: BitwiseCopyable {
        /// Where the value starts in the text; of bookkeeping, the entry behind the member that was found last.
        var start: UInt32
        /// How many bytes of text a string or scalar has; the entry behind the last one inside a container; where the object
        /// ends in the text, for its bookkeeping.
        private var extent: UInt32
        /// A string or key has escapes, so that it isn't its own value.
        let hasEscapes: Bool
        /// Whether a later member has the same name as this key, which doesn't count then; whether the keys were compared, for
        /// an object's bookkeeping.
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

        /// Counts both from a later beginning.
        fileprivate mutating func move(offset: Int, length: Int) {
            start &-= UInt32(truncatingIfNeeded: offset)
            extent &-= UInt32(truncatingIfNeeded: length)
        }
    }
}

/// Makes a tape's entries. While a container is open its `length` is its parent's entry.
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
    /// The steps from `root` to this value, found by walking down to it: so a path costs nothing until
    /// somebody asks, which is nearly always when something went wrong.
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

    /// "expected an integer but found a string".
    func mismatch(_ type: any Any.Type, at index: Int, expected: String) -> any Error {
        guard isValid, let kind = try? kind(at: index) else { return Self.outlived }
        let context = DecodingError.Context(
            codingPath: codingPath(to: index), debugDescription: "expected \(expected) but found \(kind)")
        return kind == .null ? DecodingError.valueNotFound(type, context) : DecodingError.typeMismatch(type, context)
    }
}
