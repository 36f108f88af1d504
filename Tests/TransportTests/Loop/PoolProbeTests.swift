import Synchronization
import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite struct PoolProbeTests {
        private let reports = TestSupport.Recorder<String>()
        private let jobs = TestSupport.Recorder<@Sendable () -> Void>()

        private func probe(reportedTime: Duration) -> PoolProbe {
            PoolProbe(
                reportedTime: reportedTime, send: { [jobs] in jobs.record($0) },
                report: { [reports] in reports.record($0) })
        }

        @Test func `a pool that begins no job is reported once, and once more when it begins one`() {
            let probe = probe(reportedTime: .zero)
            #expect(probe.look())
            #expect(reports.elements.isEmpty)
            #expect(!probe.look() && !probe.look(), "what is reported needn't be watched")
            #expect(reports.elements.count == 1)
            #expect(reports.elements.first?.hasPrefix("no task of Swift's own pool has begun for ") ?? false)
            #expect(jobs.elements.count == 1)
            for job in jobs.elements { job() }
            #expect(reports.elements.count == 2)
            #expect(reports.elements.last?.hasPrefix("tasks of Swift's own pool begin again, after ") ?? false)
            #expect(probe.heldTime == .zero)
        }

        @Test func `a pool that begins its jobs in time isn't reported, and is asked again after a while`() {
            let probe = probe(reportedTime: .seconds(3_600))
            #expect(probe.look() && probe.look())
            for job in jobs.elements { job() }
            #expect(!probe.look(), "a moment ago")
            #expect(jobs.elements.count == 1)
            #expect(reports.elements.isEmpty)
        }

        @Test func `while the whole process stands still, the pool holds nothing`() {
            let probe = probe(reportedTime: .zero)
            #expect(probe.look())
            probe.didStandStill(for: .seconds(3_600))
            #expect(probe.look())
            #expect(reports.elements.isEmpty)
            #expect(probe.heldTime == .zero)
        }

        @Test func `Swift's own pool begins the job`() async {
            let begun = Gate()
            let probe = PoolProbe(
                send: { job in
                    Task.detached {
                        job()
                        begun.open()
                    }
                }, report: { _ in })
            #expect(probe.look())
            await begun.wait()
            #expect(probe.heldTime == .zero)
        }
    }
}
