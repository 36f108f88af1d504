/// A string that equals another only if both have the same scalars, as JSON means it: `String` takes a letter with an
/// accent and a letter followed by an accent for one.
struct ScalarString: Hashable, Sendable {
    let string: String

    init(_ string: String) {
        self.string = string
    }

    static func == (left: ScalarString, right: ScalarString) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
