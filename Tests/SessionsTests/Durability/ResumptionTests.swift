import TestSupport
import Testing

@testable import Sessions

@Suite(.inTurn) struct ResumptionTests {
    private struct Broken: Error, CustomStringConvertible { let description = "the shelf is gone" }

    @Test func `who can't go on because of another session on its screen is told of which, and why`() async throws {
        let (first, second) = (Session(), Session())
        let resumption = Resumption()
        resumption.begin([first, second])
        resumption.end(first, Broken())
        let error = await #expect(throws: SceneFailed.self) { try await resumption.wait(after: second) }
        #expect(error?.description == "\(first.viewModelName), which is on its screen, can't go on: the shelf is gone")
    }
}
