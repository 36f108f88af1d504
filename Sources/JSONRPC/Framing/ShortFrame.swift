/// A header, a message or both, put together in memory that the caller lends and that is large enough.
struct ShortFrame {
    /// What the longest header and a line's end take.
    static let overheadBytes = 64

    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = memory
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    mutating func removeAll() {
        count = 0
    }

    mutating func append(_ text: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: text)
        count += text.count
    }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    /// The header block of a message of `length` bytes.
    mutating func appendHeader(_ length: Int) {
        append("Content-Length: ")
        appendDigits(of: length)
        append("\r\n\r\n")
    }

    private mutating func appendDigits(of number: Int) {
        var end = count + 1
        var rest = number / 10
        while rest > 0 {
            end += 1
            rest /= 10
        }
        rest = number
        for place in stride(from: end - 1, through: count, by: -1) {
            memory[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count = end
    }
}
