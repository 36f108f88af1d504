import Testing
import ViewModelClient

@Suite struct BackoffTests {
    @Test(arguments: [(0, 100), (1, 200), (2, 400), (5, 3_200), (6, 5_000), (7, 5_000), (1_000_000, 5_000)])
    func `each wait is twice the one before, up to a limit`(attempt: Int, milliseconds: Int) {
        #expect(Backoff().delay(attempt) == .milliseconds(milliseconds))
    }

    @Test func `no wait stays none`() {
        #expect(Backoff(first: .zero, longest: .zero).delay(10) == .zero)
    }
}
