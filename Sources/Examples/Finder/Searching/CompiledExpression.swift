#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An extended regular expression as the C library has it.
///
/// Confined to the task that made it. Used in `UTF8Locale` only.
final class CompiledExpression {
    /// The C library keeps what it learns of an expression, at worst two kilobytes for each byte that it reads. So it
    /// starts anew after so many.
    private static let maximumBytes = 1 << 16

    private let text: String
    private let flags: CInt
    private let compiled = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
    private var isCompiled = false
    private var readBytes = 0

    /// - Throws: where it isn't well-formed, in the C library's words.
    init(_ text: String, _ flags: CInt) throws(TextQuery.Invalid) {
        self.text = text
        self.flags = REG_EXTENDED | flags
        compiled.initialize(to: regex_t())
        try compile()
    }

    deinit {
        if isCompiled { regfree(compiled) }
        compiled.deallocate()
    }

    private func compile() throws(TextQuery.Invalid) {
        if isCompiled { regfree(compiled) }
        let status = regcomp(compiled, text, flags)
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

    /// So many bytes are about to be read, or were.
    ///
    /// - Returns: false where it can't be used any more.
    func note(_ bytes: Int) -> Bool {
        readBytes += bytes
        guard readBytes > Self.maximumBytes else { return true }
        guard (try? compile()) != nil else { return false }
        readBytes = bytes
        return true
    }

    /// The first match, in bytes from the start; nil where there is none.
    ///
    /// - Parameter start: of bytes that end with a NUL.
    func match(_ start: UnsafePointer<UInt8>, _ flags: CInt) -> Range<Int>? {
        var match = regmatch_t()
        let status = regexec(compiled, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), 1, &match, flags)
        guard status == 0, match.rm_so >= 0, match.rm_eo >= match.rm_so else { return nil }
        return Int(match.rm_so)..<Int(match.rm_eo)
    }
}

/// The encoding that the C library takes texts for, on the thread that asks. The process keeps its own.
enum UTF8Locale {
    /// Makes it the thread's for a call, which doesn't suspend.
    static func isUsed<Value, Failure>(_ call: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard let locale = shared.locale else { return try call() }
        let before = uselocale(locale)
        defer { uselocale(before) }
        return try call()
    }

    private static let shared = Shared()

    /// Never freed, and never changed: so all threads may use it.
    private struct Shared: @unchecked Sendable {
        let locale = newlocale(CInt(LC_CTYPE_MASK), "C.UTF-8", nil)
    }
}
