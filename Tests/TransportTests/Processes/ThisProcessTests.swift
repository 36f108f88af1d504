import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct ThisProcessTests {
        @Test func `the limit of descriptors is raised as far as it may be, once`() async {
            await #expect(processExitsWith: .success) {
                let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
                var limit = rlimit(rlim_cur: 100, rlim_max: 200)
                #expect(setrlimit(resource, &limit) == 0)
                let raised = try #require(DescriptorLimit.raise())
                #expect(raised == (100, 200))
                #expect(getrlimit(resource, &limit) == 0 && limit.rlim_cur == 200)
                #expect(DescriptorLimit.raise() == nil)
            }
        }
    }
}
