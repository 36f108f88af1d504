import LibC
import Queues

/// The report of a process that crashes: the signal, the work that its thread did ("orders.cancelOrder"), and where.
///
/// Made by a thread that hasn't crashed, for a process that soon ends.
struct CrashReport {
    /// The executor that the task of the crashed thread prefers.
    ///
    /// Written by the thread that crashed, before `clinux_wait_for_crash` returns, and read after that. It lives as
    /// long as the task, which never goes on.
    nonisolated(unsafe) private static var executor: UnownedTaskExecutor?

    /// Called in the signal handler of the thread that crashed.
    static let note: @convention(c) () -> Void = {
        withUnsafeCurrentTask { executor = $0?.unownedTaskExecutor }
    }

    private let crash: clinux_crash
    private let end: String

    /// - Parameter end: what ends by it: "the process ends, and every session with it".
    init(_ crash: clinux_crash, end: String) {
        self.crash = crash
        self.end = end
    }

    /// That of the work; nil where there is none, or somebody has sent the signal.
    var note: [UInt8]? { crash.is_sent != 0 ? nil : (Self.executor?.asTaskExecutor() as? any JobSource)?.crashNote }

    /// Lines, each with its end.
    var text: String {
        let lines = ["error: \(cause): \(end)"] + frames.map { "    at \($0)" }
        return lines.map { $0 + "\n" }.joined()
    }

    /// "orders.cancelOrder trapped (SIGILL)".
    var cause: String {
        let name = SignalName.of(crash.signal)
        if crash.is_sent != 0 { return "the process was sent \(name)" }
        let verb = crash.signal == SIGABRT ? "aborted" : "trapped"
        guard let source = Self.executor?.asTaskExecutor() as? any JobSource else {
            return "the process \(verb) (\(name)), in no view model's handler"
        }
        return "\(source.runningWork) \(verb) (\(name))"
    }

    private var frames: [String] {
        withUnsafeBytes(of: crash.frames) { frames in
            let addresses = frames.bindMemory(to: UnsafeRawPointer?.self).prefix(Int(crash.frame_count))
            return addresses.compactMap { $0.map(Self.text) }
        }
    }

    private static func text(ofFrame address: UnsafeRawPointer) -> String {
        var path: UnsafePointer<CChar>?
        var offset = 0
        let symbol = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2 << 10) { name -> String in
            guard let start = name.baseAddress,
                clinux_find_symbol(address, start, name.count, &path, &offset) != 0
            else { return "?" }
            guard let demangled = clinux_demangle(start) else { return String(cString: start) }
            defer { free(demangled) }
            return String(cString: demangled)
        }
        let file = path.map { String(cString: $0) } ?? "?"
        let last = file == "/proc/self/exe" ? CommandLine.arguments.first ?? file : file
        return "\(symbol) (\(last.split(separator: "/").last ?? "?")+0x\(String(offset, radix: 16)))"
    }
}

/// Names of signals, for people.
enum SignalName {
    static func of(_ signal: Int32) -> String {
        switch signal {
        case SIGILL: "SIGILL"
        case SIGTRAP: "SIGTRAP"
        case SIGABRT: "SIGABRT"
        case SIGBUS: "SIGBUS"
        case SIGFPE: "SIGFPE"
        case SIGSEGV: "SIGSEGV"
        case SIGKILL: "SIGKILL"
        case SIGTERM: "SIGTERM"
        default: "signal \(signal)"
        }
    }
}
