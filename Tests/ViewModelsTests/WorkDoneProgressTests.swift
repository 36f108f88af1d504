import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct WorkDoneProgressTests {
    private let sent = Recorder<WorkDoneProgress.Value>()

    private func progress() -> WorkDoneProgress {
        WorkDoneProgress { [sent] in sent.record($0) }
    }

    @Test func `begin, report and end are sent in order`() {
        let progress = progress()
        progress.begin(title: "Loading", message: "first", percentage: 0)
        progress.report(message: "second", percentage: 50)
        progress.report()
        progress.end(message: "done")
        #expect(
            sent.elements == [
                .begin(title: "Loading", message: "first", percentage: 0), .report(message: "second", percentage: 50),
                .report(message: nil, percentage: nil), .end(message: "done"),
            ])
    }

    @Test func `only the first begin counts`() {
        let progress = progress()
        progress.begin(title: "one")
        progress.begin(title: "two")
        #expect(sent.elements == [.begin(title: "one", message: nil, percentage: nil)])
    }

    @Test func `nothing is sent before begin, not even an end`() {
        let progress = progress()
        progress.report(percentage: 10)
        progress.end()
        #expect(sent.elements.isEmpty)
    }

    @Test func `nothing is sent after end`() {
        let progress = progress()
        progress.begin(title: "one")
        progress.end(message: "first end")
        progress.report(percentage: 10)
        progress.begin(title: "two")
        progress.end(message: "second end")
        #expect(
            sent.elements == [.begin(title: "one", message: nil, percentage: nil), .end(message: "first end")])
    }

    @Test(arguments: [(-1, 0), (Int.min, 0), (0, 0), (50, 50), (100, 100), (101, 100), (Int.max, 100)])
    func `percentages are clamped to 0 to 100`(given: Int, expected: Int) {
        let progress = progress()
        progress.begin(title: "", percentage: given)
        progress.report(percentage: given)
        #expect(
            sent.elements == [
                .begin(title: "", message: nil, percentage: expected), .report(message: nil, percentage: expected),
            ])
    }

    @Test func `reports from many tasks all come between begin and end`() async {
        let progress = progress()
        progress.begin(title: "work")
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask { for step in 0..<500 { progress.report(message: "\(task)", percentage: step / 5) } }
            }
            group.addTask { progress.begin(title: "again") }
        }
        progress.end()
        let values = sent.elements
        #expect(values.count == 4_002)
        #expect(values.first == .begin(title: "work", message: nil, percentage: nil))
        #expect(values.last == .end(message: nil))
    }

    @Test func `an end that races with reports is last`() async {
        let progress = progress()
        progress.begin(title: "work")
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<500 { progress.report() } }
            }
            group.addTask { progress.end() }
        }
        #expect(sent.elements.last == .end(message: nil))
        #expect(sent.elements.count { $0 == .end(message: nil) } == 1)
    }

    @Test func `it ends when the last task that has it is done with it`() async {
        do {
            let progress = progress()
            progress.begin(title: "work")
            await Task { progress.report() }.value
            #expect(sent.elements.last == .report(message: nil, percentage: nil))
        }
        #expect(await sent.elements(count: 3).last == .end(message: nil))
    }

    @Test func `a task without one has none`() {
        #expect(WorkDoneProgress.current == nil)
    }
}
