/// The answers to one batch, collected until all are there.
package struct Batch {
    private var array = LongMessage()
    /// How many answers are still to come.
    private var owed: Int

    /// - Parameter owed: how many of the batch's messages get an answer.
    package init(owed: Int) {
        self.owed = owed
    }

    /// The length of the answers so far, in bytes.
    package var bytes: Int { array.count }

    /// Takes one answer, a JSON object's text. Returns the array of all answers when this was the last one owed.
    package mutating func add(_ answer: LongMessage) -> LongMessage? {
        array.append(array.count == 0 ? "[" : ",")
        array.append(answer)
        owed -= 1
        guard owed <= 0 else { return nil }
        array.append("]")
        return array
    }
}

/// The messages of a batch that aren't handled yet. They borrow the text.
struct RestOfBatch {
    let text: BatchText?
    var messages: ArraySlice<Message>
    let number: Int
}

/// A copy of a batch's bytes at a fixed address. Its messages borrow them.
final class BatchText {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyMemory(from: bytes)
        self.bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}
