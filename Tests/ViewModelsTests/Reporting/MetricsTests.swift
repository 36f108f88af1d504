import Testing
import TestSupport

@testable import ViewModels

@Suite(.inTurn) struct MetricsTests {
    @Test func `whoever asks for a name gets the same figure`() {
        Metrics.counter("metrics_tests_same_total", "Calls.").add(2)
        Metrics.counter("metrics_tests_same_total", "Something else.").add()
        #expect(Metrics.counter("metrics_tests_same_total", "Calls.").value == 3)
        let metric = Metrics.all.first { $0.name == "metrics_tests_same_total" }
        #expect(metric == Metric("metrics_tests_same_total", .counter, "Calls.", [.init(3)]))
    }

    @Test func `a counter only grows, and stays at the greatest number`() {
        let counter = Metrics.counter("metrics_tests_greatest_total", "Calls.")
        counter.add(-5)
        #expect(counter.value == 0)
        counter.add(.max)
        counter.add(.max)
        #expect(counter.value == .max)
    }

    @Test func `a gauge is set, grows and shrinks`() {
        let gauge = Metrics.gauge("metrics_tests_open", "What is open.")
        gauge.set(2)
        gauge.add()
        gauge.add(-0.5)
        #expect(gauge.value == 2.5)
    }

    private struct Broken: Error {}

    @Test func `a timer counts what was done, also where that throws`() async throws {
        let timer = Metrics.timer("metrics_tests_seconds", "How long it takes, in seconds.")
        timer.record(.milliseconds(1_500))
        timer.record(.seconds(-1))
        await #expect(throws: Broken.self) { try await timer.measure { throw Broken() } }
        #expect(timer.value.count == 3 && timer.value.total >= .milliseconds(1_500))
        let metric = try #require(Metrics.all.first { $0.name == "metrics_tests_seconds" })
        #expect(metric.kind == .summary && metric.samples.map(\.suffix) == ["_sum", "_count"])
        #expect(metric.samples[1].value == 3)
    }

    @Test(arguments: [
        ("shop_orders_total", true), ("a", true), ("_x:y9", true), ("", false), ("9lives", false), ("a-b", false),
        ("a b", false), ("ä", false), ("view_model_server_x", false), ("process_x", false),
    ])
    func `a name is what Prometheus takes, and not the server's`(_ name: String, _ isName: Bool) {
        #expect(Metrics.isName(name) == isName)
    }
}

@Suite(.inTurn) struct LogTests {
    @Test func `a log makes the texts that it writes and no others`() {
        let written = Recorder<String>()
        let made = Recorder<Int>()
        func text(_ number: Int) -> String {
            made.record(number)
            return "\(number)"
        }
        let log = Log(level: .warning) { level, message in written.record("\(level) \(message)") }
        log.error(text(1))
        log.warning(text(2))
        log.info(text(3))
        log.debug(text(4))
        #expect(written.elements == ["error 1", "warning 2"] && made.elements == [1, 2])
    }

    @Test func `outside of a server the log writes nothing, and a test puts another in its place`() async {
        Log.current.error("nobody hears this")
        let written = Recorder<String>()
        await Log.$override.withValue(Log { _, message in written.record(message) }) {
            await Task { Log.current.debug("heard") }.value
        }
        #expect(written.elements == ["heard"])
    }
}
