import FoundationEssentials
import JSON
import TestSupport
import Testing

/// Dates as RFC 3339 text.
@Suite(.inTurn) struct TimestampTests {
    /// Nil where the date can't be written.
    private func text(_ date: Date) throws -> String? {
        do {
            return try decoded(String.self, encoded(date))
        } catch let error as JSONCodingError where error.reason == "the date has no RFC 3339 form" {
            return nil
        }
    }

    private func date(_ text: String) throws -> Date { try decoded(Date.self, "\"\(text)\"") }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-21T07:20:50.52Z", 1_795_245_650.52),
        ("1969-12-31T23:59:59.75Z", -0.25), ("2000-02-29T12:00:00Z", 951_825_600),
        ("0000-01-01T00:00:00Z", -62_167_219_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
    func `dates are written in UTC and read back`(_ text: String, _ seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(try self.text(date) == text)
        #expect(try self.date(text) == date)
    }

    @Test(arguments: [
        ("1985-04-12t23:20:50.52z", "1985-04-12T23:20:50.52Z"), ("1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57Z"),
        ("1990-12-31T23:59:60Z", "1991-01-01T00:00:00Z"), ("1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00Z"),
        ("2000-01-01T00:00:00.5+00:30", "1999-12-31T23:30:00.5Z"), ("2000-01-01T00:00:00.000Z", "2000-01-01T00:00:00Z"),
        ("2000-01-01T00:00:00-00:00", "2000-01-01T00:00:00Z"),
    ])
    func `any form of RFC 3339 is read`(_ text: String, _ expected: String) throws {
        #expect(try self.text(date(text)) == expected)
    }

    @Test(arguments: [
        "", "2000-01-01", "2000-01-01T00:00:00", "2000-01-01 00:00:00Z", "2000-02-30T00:00:00Z", "2001-02-29T00:00:00Z",
        "2000-13-01T00:00:00Z", "2000-00-01T00:00:00Z", "2000-01-00T00:00:00Z", "2000-01-01T24:00:00Z",
        "2000-01-01T00:60:00Z", "2000-01-01T00:00:61Z", "2000-01-01T12:00:60Z", "2000-01-01T00:00:00.Z",
        "2000-01-01T00:00:00+24:00", "2000-01-01T00:00:00+0100", "2000-01-01T00:00:00ZZ", "2000-1-01T00:00:00Z",
        "+2000-01-01T00:00:00Z", "２000-01-01T00:00:00Z", "2000-01-01T00:00:00,5Z",
    ])
    func `anything else is refused`(_ text: String) {
        expectFailure("", "expected an RFC 3339 date and time") { _ = try date(text) }
    }

    @Test func `random dates read back the same`() throws {
        var generator = SeededGenerator(seed: 11)
        for exponent in stride(from: -4.0, through: 10.8, by: 0.01) {
            let limit = pow10(exponent)
            let date = Date(timeIntervalSinceReferenceDate: Double.random(in: -limit...limit, using: &generator))
            let text = try #require(try self.text(date))
            #expect(try self.date(text) == date, "\(text)")
        }
    }

    @Test func `a date that RFC 3339 can't write is refused`() throws {
        for seconds in [Double.nan, .infinity, 1e300, -1e11, 253_402_300_800 - 978_307_200] {
            #expect(try text(Date(timeIntervalSinceReferenceDate: seconds)) == nil)
        }
    }

    private func pow10(_ exponent: Double) -> Double {
        var power = 1.0
        for _ in 0..<Int(exponent.magnitude * 10) { power *= exponent < 0 ? 0.794328 : 1.258925 }
        return power
    }
}
