import Sessions
import TestSupport

/// A viewer that notes what it is told.
final class TestViewer: SessionViewer {
    let news = Recorder<Int>()
    let reports = Recorder<String>()

    func sessionHasNews(for view: Int) {
        news.record(view)
    }

    func sessionReports(_ message: String, for view: Int) {
        reports.record("\(view): \(message)")
    }
}
