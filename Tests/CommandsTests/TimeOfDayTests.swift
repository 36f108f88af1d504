import Commands
import TestSupport
import Testing

@Suite(.inTurn) struct TimeOfDayTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1_795_362_100_123, "2026-11-22T15:41:40.123Z"),
        (951_782_400_007, "2000-02-29T00:00:00.007Z"), (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
    ])
    func `a moment is written in UTC, to the millisecond`(milliseconds: Int64, text: String) {
        #expect(TimeOfDay(milliseconds: milliseconds).description == text)
    }
}
