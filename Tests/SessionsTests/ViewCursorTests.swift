import Testing

@testable import Sessions

@Suite struct ViewCursorTests {
    private func log(_ sizes: [Int]) -> SessionLog {
        var log = SessionLog(maximumCount: .max, maximumBytes: .max)
        for size in sizes { log.append(.event([UInt8](repeating: 0, count: size)), turn: 0) }
        return log
    }

    @Test func `it comes to each event once, in order, up to the last one wanted`() {
        let log = log([1, 1, 1, 1])
        var cursor = ViewCursor(after: 1, in: log)
        let first = (0..<3).map { _ in cursor.next(upTo: 3, in: log)?.number }
        #expect(first == [2, 3, nil])
        let second = (0..<2).map { _ in cursor.next(upTo: .max, in: log)?.number }
        #expect(second == [4, nil])
        #expect(cursor.number == 4)
    }

    @Test(arguments: [(0, 111), (1, 110), (2, 100), (3, 0)])
    func `it knows how many bytes wait`(number: Int, bytes: Int) {
        let log = log([1, 10, 100])
        #expect(ViewCursor(after: number, in: log).waitingBytes == bytes)
        var cursor = ViewCursor(after: 0, in: log)
        for _ in 0..<number { _ = cursor.next(upTo: .max, in: log) }
        #expect(cursor.waitingBytes == bytes)
    }

    @Test func `it counts from where the log was trimmed`() {
        var log = SessionLog(maximumCount: 1, maximumBytes: .max)
        for size in [1, 10, 100] { log.append(.event([UInt8](repeating: 0, count: size)), turn: 0) }
        log.trim(seenByAll: 3)
        #expect(ViewCursor(after: 2, in: log).waitingBytes == 100)
    }
}
