/// Where the values of one text are: an entry a value, in the order of the text, found in one pass.
///
/// What `Decoder`s and their containers share. They borrow the text, so whoever made the tape must call `invalidate`
/// before the text's memory goes; a decoder that outlives it then throws and never reads freed memory.
///
/// Entries instead of `JSONValue`s because a container finds a member by comparing keys, with no pass over values in
/// between, and makes no table of its own. An entry takes eight bytes, so a decode takes at most eight times the
/// memory of its text, and a tenth of that for usual texts.
final class DecodingTape {
    private(set) var text: UnsafeRawBufferPointer
    private let entries: TrivialStack<Entry>
    /// How many `init(from:)` run within each other now.
    private var calls = 0
    /// The innermost entry whose `init(from:)` threw, for errors that carry no path of their own.
    private var failedEntry: Int?
    /// What the event decoders found wrong with `kind`, in case the type's own code fails for it in its own words.
    var kindFailure: String?

    init(_ value: JSONValue, at path: JSONPointer) throws(JSONCodingError) {
        text = value.text
        entries = TrivialStack(capacity: value.text.count / 8 + 8)
        try TapeBuilder.append(entriesOf: value.text, to: entries, at: path)
    }

    deinit { entries.deallocate() }

    func invalidate() {
        text = UnsafeRawBufferPointer(start: nil, count: 0)
        entries.truncate(to: 0)
    }

    /// Every access from a container passes here or through `entry`.
    func entry(_ index: Int) throws -> Entry {
        guard index < entries.count else { throw Self.outlived }
        return entries[index]
    }

    func update(_ index: Int, _ change: (inout Entry) -> Void) {
        guard index < entries.count else { return }
        change(&entries[index])
    }

    var isValid: Bool { entries.count > 0 }

    /// Runs `T.init(from:)`, bounded, and remembers where it failed.
    func initialize<T: Decodable>(_ type: T.Type, at index: Int, from decoder: some Decoder) throws -> T {
        guard calls < CodingLimits.calls else { throw corrupted(at: index, "nested too deep to decode") }
        calls += 1
        defer { calls -= 1 }
        if failedEntry != nil { failedEntry = nil }
        do {
            return try T(from: decoder)
        } catch {
            if failedEntry == nil { failedEntry = index }
            throw error
        }
    }

    /// What a user's code threw, as it is told to a client.
    func codingError(_ error: any Error, at base: JSONPointer) -> JSONCodingError {
        guard let error = error as? DecodingError else {
            let path = failedEntry.map { base.appending(codingPath(to: $0)) } ?? base
            return JSONCodingError(path: path, reason: String(describing: error))
        }
        switch error {
        case .keyNotFound(let key, let context):
            return JSONCodingError(path: base.appending(context.codingPath + [key]), reason: "missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return JSONCodingError(path: base.appending(context.codingPath), reason: context.debugDescription)
        @unknown default:
            return JSONCodingError(path: base, reason: String(describing: error))
        }
    }

    static let outlived = DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "this decoder was used after its decoding ended"))
}
