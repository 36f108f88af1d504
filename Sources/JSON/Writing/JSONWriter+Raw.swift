extension JSONWriter {
    /// Writes a complete value, or any other text, unchanged. A comma is placed before it only if it begins as a value does.
    ///
    /// Nothing is checked: a text may be written in parts, such as `raw("{\"id\":")`, a value and `raw("}")`, and a header
    /// before it.
    package mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        if let first = bytes.first, JSONValue.Kind(firstByte: first) != nil { beginValue() }
        append(bytes)
    }

    package mutating func raw(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { raw($0) }
    }

    /// Writes a literal unchanged; no comma is placed before it.
    ///
    /// Inlined, so that its length and bytes are constants.
    @inlinable @inline(__always)
    package mutating func literal(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a value that was read before, without the white space in it and otherwise unchanged.
    package mutating func compact(_ value: JSONValue) {
        let text = value.text
        beginValue()
        let grammar = JSONGrammar(text, maximumDepth: 0)
        var offset = 0
        while offset < text.count {
            let byte = text[offset]
            let end = byte == ASCII.quote ? try? grammar.endOfString(from: offset).offset : nil
            if !ASCII.isWhitespace(byte) { append(text.part(from: offset, to: end ?? offset &+ 1)) }
            offset = end ?? offset &+ 1
        }
    }

    /// Places the comma that is due before a value or key.
    @inlinable @inline(__always)
    mutating func beginValue() {
        if length > 0, ASCII.endsValue(base.load(fromByteOffset: length &- 1, as: UInt8.self)) { append(ASCII.comma) }
    }

    @inlinable @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        base.storeBytes(of: byte, toByteOffset: length, as: UInt8.self)
        length &+= 1
    }

    @inlinable @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + length).copyMemory(from: source, byteCount: bytes.count)
        length &+= bytes.count
    }

    typealias ShortText = (UInt64, UInt64, UInt64, UInt64)

    /// Writes a member's name and colon, in an object that was begun. All of `text` is copied, of which `length` bytes count.
    @inline(__always)
    mutating func member(_ text: UnsafePointer<ShortText>, length: Int) {
        reserve(MemoryLayout<ShortText>.size &+ 1)
        var target = base + self.length
        let isFirst = (target - 1).load(as: UInt8.self) == ASCII.openBrace
        target.storeBytes(of: ASCII.comma, as: UInt8.self)
        target += isFirst ? 0 : 1
        target.copyMemory(from: text, byteCount: MemoryLayout<ShortText>.size)
        self.length &+= length &+ (isFirst ? 0 : 1)
    }

    /// Makes room for `additional` more bytes.
    @inlinable @inline(__always)
    mutating func reserve(_ additional: Int) {
        if capacity &- length < additional { grow(additional) }
    }

    @usableFromInline @inline(never)
    mutating func grow(_ additional: Int) {
        let capacity = max(self.capacity * 2, length + additional)
        let base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
        base.copyMemory(from: self.base, byteCount: length)
        self.base.deallocate()
        self.base = base
        self.capacity = capacity
    }
}
