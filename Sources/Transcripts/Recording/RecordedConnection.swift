/// One connection of a recording. Any thread, but what passes in order is told in order.
package struct RecordedConnection: Sendable {
    let recording: Recording
    package let number: Int

    /// These bytes have passed: a client's when they are handed to the server, a server's when they have come from it. So no
    /// answer stands before its question.
    package func pass(_ bytes: UnsafeRawBufferPointer, from side: TranscriptSide) {
        guard !bytes.isEmpty else { return }
        recording.add(.bytes(Array(bytes), side), on: number)
    }

    /// The side sends no more.
    package func end(_ side: TranscriptSide) {
        recording.add(.end(side), on: number)
    }

    /// The connection is gone, whether its sides have ended or not. Once, last.
    package func close() {
        recording.add(.close, on: number)
    }
}
