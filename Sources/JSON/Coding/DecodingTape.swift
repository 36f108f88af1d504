/// Where the values of one text are: an entry a value, in the order of the text, found in one pass.
///
/// Entries instead of `JSONValue`s because a container finds a member by comparing keys, with no pass over values in
/// between, and makes no table of its own. An entry takes eight bytes, so a decode takes at most eight times the
/// memory of its text, and a tenth of that for usual texts.
///
/// A reference that is copied freely and counted nowhere; whoever made it must call `deallocate` once. Not a class, of
/// which each use by a container would be counted.
struct DecodingTape: BitwiseCopyable {
    let entries = TrivialStack<Entry>(capacity: 16)
    private let lentText: UnsafeMutablePointer<UnsafeRawBufferPointer>

    /// Has no entries.
    init() {
        lentText = .allocate(capacity: 1)
        lentText.initialize(to: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    func deallocate() {
        entries.deallocate()
        lentText.deallocate()
    }

    // Never changed, so every thread may read it.
    /// Stays without entries: for those whose own tape is gone.
    nonisolated(unsafe) static let nowhere = DecodingTape()

    /// - Parameter path: what an error begins with.
    func fill(_ text: UnsafeRawBufferPointer, at path: JSONPointer) throws(JSONCodingError) {
        lentText.pointee = text
        try TapeBuilder.append(entriesOf: text, to: entries, at: path)
    }

    /// Gives the text back, and memory beyond what usual texts need.
    func clear() {
        lentText.pointee = UnsafeRawBufferPointer(start: nil, count: 0)
        entries.removeAll(keptCapacity: 4096)
    }

    var text: UnsafeRawBufferPointer { lentText.pointee }

    var isValid: Bool { entries.count > 0 }

    /// Every access from a container passes here.
    @inline(__always)
    func entry(_ index: Int) throws -> Entry {
        guard index < entries.count else { throw Self.outlived }
        return entries[index]
    }

    static let outlived = DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "this decoder was used after its decoding ended"))
}
