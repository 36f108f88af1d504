import LibC
import Queues

/// The report of a process that crashes: the signal, the work of the crashed thread (as in "orders.cancelOrder"), and the
/// stack.
///
/// Another thread than the crashed one makes it, in a process that is about to end.
struct CrashReport {
    /// The executor that the task of the crashed thread prefers.
    ///
    /// The crashed thread writes this before `clinux_wait_for_crash` returns; it is read after that. The executor lives as
    /// long as the task, which never goes on.
    nonisolated(unsafe) private static var executor: UnownedTaskExecutor?

    /// Notes the executor. Called in the signal handler of the thread that crashed.
    static let note: @convention(c) () -> Void = {
        withUnsafeCurrentTask { executor = $0?.unownedTaskExecutor }
    }

    private let crash: clinux_crash
    private let end: String

    /// - Parameter end: the words for what ends by the crash, as in "the process ends, and every session with it".
    init(_ crash: clinux_crash, end: String) {
        self.crash = crash
        self.end = end
    }

    /// The note of the crashed work; nil where there is none, or the signal was sent by somebody.
    var note: [UInt8]? { crash.is_sent != 0 ? nil : (Self.executor?.asTaskExecutor() as? any JobSource)?.crashNote }

    /// The report as lines, each with a line break at its end.
    var text: String {
        let lines = ["error: \(cause): \(end)"] + frames.map { "    at \($0)" }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The cause in words, as in "orders.cancelOrder trapped (SIGILL)".
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

/// The names of signals, for people.
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
