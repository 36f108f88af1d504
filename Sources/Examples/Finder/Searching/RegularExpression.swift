#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An extended regular expression, matched by the C library in UTF-8.
///
/// Confined to the task that made it.
final class RegularExpression {
    /// The C library keeps what it learns of an expression, at worst two kilobytes for each byte that it reads. So it
    /// starts anew after so many.
    private static let maximumBytes = 1 << 16

    private let text: String
    private let flags: CInt
    private let compiled = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
    private var isCompiled = false
    private var readBytes = 0

    /// - Throws: where it isn't well-formed, in the C library's words.
    init(_ text: String, ignoresCase: Bool) throws(TextQuery.Invalid) {
        self.text = text
        flags = REG_EXTENDED | (ignoresCase ? REG_ICASE : 0)
        compiled.initialize(to: regex_t())
        try compile()
    }

    deinit {
        if isCompiled { regfree(compiled) }
        compiled.deallocate()
    }

    private func compile() throws(TextQuery.Invalid) {
        if isCompiled { regfree(compiled) }
        let status = UTF8Locale.isUsed { regcomp(compiled, text, flags) }
        isCompiled = status == 0
        guard isCompiled else { throw TextQuery.Invalid(description: message(of: status)) }
        readBytes = 0
    }

    private func message(of status: CInt) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 200) { memory in
            guard let start = memory.baseAddress, regerror(status, compiled, start, memory.count) > 0 else {
                return "the expression isn't valid"
            }
            return String(cString: start)
        }
    }

    /// The first match from an index on; nil where there is none.
    ///
    /// - Parameters:
    ///   - line: ends with a NUL, which isn't part of it.
    ///   - beginsLine: whether `^` matches at its first byte.
    ///   - endsLine: whether `$` matches at its end.
    func first(
        in line: UnsafeBufferPointer<UInt8>, from start: Int, beginsLine: Bool, endsLine: Bool
    ) -> Range<Int>? {
        guard let base = line.baseAddress, start < line.count else { return nil }
        readBytes += line.count - start
        if readBytes > Self.maximumBytes {
            guard (try? compile()) != nil else { return nil }
            readBytes = line.count - start
        }
        var match = regmatch_t()
        let flags = (beginsLine && start == 0 ? 0 : REG_NOTBOL) | (endsLine ? 0 : REG_NOTEOL)
        let status = UTF8Locale.isUsed {
            UnsafeRawPointer(base + start).withMemoryRebound(to: CChar.self, capacity: line.count - start) {
                regexec(compiled, $0, 1, &match, flags)
            }
        }
        let (begin, end) = (start + Int(match.rm_so), start + Int(match.rm_eo))
        guard status == 0, begin >= start, end >= begin, end < line.count else { return nil }
        return begin..<end
    }
}

/// The encoding that the C library takes texts for, on the thread that asks. The process keeps its own.
private enum UTF8Locale {
    /// Makes it the thread's for a call, which doesn't suspend.
    static func isUsed<Value>(_ call: () -> Value) -> Value {
        guard let locale = shared.locale else { return call() }
        let before = uselocale(locale)
        defer { uselocale(before) }
        return call()
    }

    private static let shared = Shared()

    /// Never freed, and never changed: so all threads may use it.
    private struct Shared: @unchecked Sendable {
        let locale = newlocale(CInt(LC_CTYPE_MASK), "C.UTF-8", nil)
    }
}
