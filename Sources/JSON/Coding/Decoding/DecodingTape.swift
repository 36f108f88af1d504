/// Where the values of one text are: an entry a value, in the order of the text, found in one pass.
///
/// Entries instead of `JSONValue`s because a container finds a member by comparing keys, with no pass over values in
/// between, and makes no table of its own. An entry takes eight bytes, so a decode takes at most eight times the
/// memory of its text, and a tenth of that for usual texts.
///
/// Borrows the text: `clear` must be called before the text's memory goes. A container that outlives that throws and
/// never reads freed memory.
struct DecodingTape: BitwiseCopyable {
    /// In memory of their own: `deallocate` must be called once.
    let entries = TrivialStack<Entry>(capacity: 16)
    private(set) var text = UnsafeRawBufferPointer(start: nil, count: 0)

    func deallocate() {
        entries.deallocate()
    }

    /// - Parameter path: where errors begin.
    mutating func fill(_ text: UnsafeRawBufferPointer, at path: JSONPointer) throws(JSONCodingError) {
        self.text = text
        try TapeBuilder.append(entriesOf: text, to: entries, at: path)
    }

    /// Gives the text back, and memory beyond what usual texts need.
    mutating func clear() {
        text = UnsafeRawBufferPointer(start: nil, count: 0)
        entries.removeAll(keptCapacity: 4096)
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
        private var extent: UInt32

        /// The longest text that the two flags leave room for.
        static let maximumTextBytes = Int(lengthMask)

        private static let escapesFlag: UInt32 = 1 << 31
        private static let shadowedFlag: UInt32 = 1 << 30
        private static let lengthMask: UInt32 = (1 << 30) - 1

        init(start: Int, extent: Int, hasEscapes: Bool = false) {
            self.start = UInt32(truncatingIfNeeded: start)
            self.extent = UInt32(truncatingIfNeeded: extent) & Self.lengthMask | (hasEscapes ? Self.escapesFlag : 0)
        }

        /// Of strings and scalars: how many bytes of text. Of containers: the entry behind the last one inside.
        var length: Int {
            get { Int(extent & Self.lengthMask) }
            set { extent = extent & ~Self.lengthMask | UInt32(truncatingIfNeeded: newValue) & Self.lengthMask }
        }

        var offset: Int { Int(start) }

        /// Of strings and keys.
        var hasEscapes: Bool { extent & Self.escapesFlag != 0 }

        /// Of keys: whether a later member has the same name, so that this one doesn't count. Of an object's
        /// bookkeeping: whether the keys were compared.
        var isShadowed: Bool {
            get { extent & Self.shadowedFlag != 0 }
            set { extent = newValue ? extent | Self.shadowedFlag : extent & ~Self.shadowedFlag }
        }

        /// Of keys: whether it has that many bytes, no escapes, and counts.
        @inline(__always)
        func isPlain(bytes: Int) -> Bool {
            Int(extent) == bytes
        }
    }
}

/// Paths and errors.
extension DecodingTape {
    /// The steps from the outermost value to this one, found by walking down to it: so a path costs nothing until
    /// somebody asks, which is nearly always when something went wrong.
    func codingPath(to target: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var container = 0
        while container < target, let step = try? step(from: container, towards: target) {
            path.append(step.key)
            container = step.index
        }
        return path
    }

    private func step(from container: Int, towards target: Int) throws -> (key: PathKey, index: Int)? {
        guard isContainer(try entry(container)) else { return nil }
        let isObject = try kind(at: container) == .object
        let end = try entry(container).length
        var child = isObject ? container + 3 : container + 1
        var position = 0
        while child < end {
            let next = try index(after: child)
            if target < next {
                let key: PathKey =
                    isObject ? .member(stringText(try entry(child - 1)).string()) : .index(position)
                return (key, child)
            }
            child = isObject ? next + 1 : next
            position += 1
        }
        return nil
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
