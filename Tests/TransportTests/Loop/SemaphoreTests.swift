import Testing
import Transport

extension TransportTests {
    @Suite struct SemaphoreTests {
        @Test func `a wait ends with a post, before or after it, or when its time has passed`() async {
            let semaphore = Semaphore()
            #expect(!semaphore.wait(atMost: .zero))
            #expect(!semaphore.wait(atMost: .milliseconds(2)))
            semaphore.post()
            #expect(semaphore.wait(atMost: .zero))
            #expect(!semaphore.wait(atMost: .zero))
            let poster = Task.detached {
                for _ in 0..<2 { semaphore.post() }
            }
            semaphore.wait()
            #expect(semaphore.wait(atMost: deadline))
            await poster.value
        }
    }
}
