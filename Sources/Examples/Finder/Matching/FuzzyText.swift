/// A path as characters, made anew for each of many paths in the memory of the last one.
///
/// A path in the folder of the last one costs the reading of its name alone.
struct FuzzyText: Sendable {
    private(set) var characters: [FuzzyCharacter] = []
    /// How many characters the folder has with its `/`.
    private var folderCount = 0
    private let ascii = FuzzyCharacter.ascii

    /// The path of a name in a folder. An empty folder is none.
    mutating func set(folder: some Collection<UInt8>, name: some Collection<UInt8>) {
        set(folder: folder)
        set(name: name)
    }

    mutating func set(folder: some Collection<UInt8>) {
        characters.removeAll(keepingCapacity: true)
        append(folder)
        if !folder.isEmpty { append(CollectionOfOne(UInt8(ascii: "/"))) }
        folderCount = characters.count
    }

    /// A name in the folder that was set last.
    mutating func set(name: some Collection<UInt8>) {
        characters.removeLast(characters.count - folderCount)
        append(name)
    }

    /// A piece that ends where a character does.
    private mutating func append(_ bytes: some Collection<UInt8>) {
        var previous = characters.last?.kind ?? .slash
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            // As the path is shown: what isn't UTF-8 is U+FFFD in both.
            for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
                var character = FuzzyCharacter(scalar.value)
                character.bonus = FuzzyScore.bonus(after: previous, of: character.kind)
                previous = character.kind
                characters.append(character)
            }
            return
        }
        characters.reserveCapacity(characters.count + bytes.count)
        for byte in bytes {
            let character = ascii[Int(previous.rawValue) * 0x80 + Int(byte)]
            previous = character.kind
            characters.append(character)
        }
    }

    /// Without blanks at its ends.
    var trimmed: Range<Int> {
        guard let first = characters.firstIndex(where: { $0.kind != .white }),
            let last = characters.lastIndex(where: { $0.kind != .white })
        else { return characters.count..<characters.count }
        return first..<last + 1
    }

    /// Where the last `/` is; nil of a path without one.
    var lastSlash: Int? { characters.lastIndex { $0.kind == .slash } }

    /// Where characters begin, in UTF-8 bytes of the path as it is shown.
    ///
    /// - Parameter indexes: of `characters`, in order.
    func offsets(of indexes: [Int]) -> [Int] {
        var (index, offset) = (0, 0)
        return indexes.map { wanted in
            while index < wanted {
                offset += characters[index].byteCount
                index += 1
            }
            return offset
        }
    }
}
