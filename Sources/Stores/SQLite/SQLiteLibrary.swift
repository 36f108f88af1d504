import LibC
import Sessions

/// The system's SQLite, loaded when it is first needed, so that nothing has to be installed to build this.
struct SQLiteLibrary: Sendable {
    typealias Connection = OpaquePointer
    typealias Statement = OpaquePointer

    let open:
        @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Connection?>, Int32, UnsafePointer<CChar>?) -> Int32
    let close: @convention(c) (Connection?) -> Int32
    let prepare:
        @convention(c) (
            Connection?, UnsafePointer<CChar>, Int32, UInt32, UnsafeMutablePointer<Statement?>,
            UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) -> Int32
    let step: @convention(c) (Statement?) -> Int32
    let reset: @convention(c) (Statement?) -> Int32
    let finalize: @convention(c) (Statement?) -> Int32
    let bindInteger: @convention(c) (Statement?, Int32, Int64) -> Int32
    /// The last parameter says who frees the bytes; with nil, they must live until the statement is reset.
    let bindText: @convention(c) (Statement?, Int32, UnsafePointer<CChar>?, Int32, UnsafeRawPointer?) -> Int32
    let bindBlob: @convention(c) (Statement?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?) -> Int32
    let bindNull: @convention(c) (Statement?, Int32) -> Int32
    let columnInteger: @convention(c) (Statement?, Int32) -> Int64
    let columnBlob: @convention(c) (Statement?, Int32) -> UnsafeRawPointer?
    let columnByteCount: @convention(c) (Statement?, Int32) -> Int32
    let columnType: @convention(c) (Statement?, Int32) -> Int32
    let changeCount: @convention(c) (Connection?) -> Int32
    let errorMessage: @convention(c) (Connection?) -> UnsafePointer<CChar>?
    let extendedErrorCode: @convention(c) (Connection?) -> Int32
    let busyTimeout: @convention(c) (Connection?, Int32) -> Int32
    let version: @convention(c) () -> Int32

    /// Loads the library.
    ///
    /// - Parameter name: the name by which the dynamic linker looks for it.
    /// - Throws: `StoreError.unusable`, whose reason says what to do, where it isn't installed, is too old, or can't be
    ///   loaded.
    init(_ name: String) throws(StoreError) {
        // A static executable has no dynamic linker that could load a library.
        guard getauxval(UInt(AT_BASE)) != 0 else {
            throw .unusable(
                "this executable is static, and SQLite is a shared library: build it without -static-executable")
        }
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? "no reason"
            throw .unusable(
                "\(name) can't be loaded (\(reason)): install it, on Debian by: apt install libsqlite3-0")
        }
        let symbols = Symbols(name: name, library: library)
        open = try symbols.find("open_v2")
        close = try symbols.find("close_v2")
        prepare = try symbols.find("prepare_v3")
        step = try symbols.find("step")
        reset = try symbols.find("reset")
        finalize = try symbols.find("finalize")
        bindInteger = try symbols.find("bind_int64")
        bindText = try symbols.find("bind_text")
        bindBlob = try symbols.find("bind_blob")
        bindNull = try symbols.find("bind_null")
        columnInteger = try symbols.find("column_int64")
        columnBlob = try symbols.find("column_blob")
        columnByteCount = try symbols.find("column_bytes")
        columnType = try symbols.find("column_type")
        changeCount = try symbols.find("changes")
        errorMessage = try symbols.find("errmsg")
        extendedErrorCode = try symbols.find("extended_errcode")
        busyTimeout = try symbols.find("busy_timeout")
        version = try symbols.find("libversion_number")
        guard version() >= Self.oldestVersion else {
            throw .unusable("\(name) is SQLite \(version()), which is too old: install 3.24 or later")
        }
    }

    /// The first version with `ON CONFLICT DO UPDATE`.
    private static let oldestVersion: Int32 = 3_024_000

    private struct Symbols {
        let name: String
        let library: UnsafeMutableRawPointer

        /// Finds a function of the library. `Function` is its C type, as sqlite3.h declares it.
        func find<Function>(_ function: String) throws(StoreError) -> Function {
            guard let symbol = dlsym(library, "sqlite3_\(function)") else {
                throw .unusable("\(name) has no sqlite3_\(function): install SQLite 3.24 or later")
            }
            return unsafeBitCast(symbol, to: Function.self)
        }
    }
}

/// The codes of sqlite3.h that are used.
enum SQLiteCode {
    static let ok: Int32 = 0
    static let error: Int32 = 1
    static let busy: Int32 = 5
    static let locked: Int32 = 6
    static let readOnly: Int32 = 8
    static let inputOutput: Int32 = 10
    static let corrupt: Int32 = 11
    static let full: Int32 = 13
    static let cantOpen: Int32 = 14
    static let tooBig: Int32 = 18
    static let constraint: Int32 = 19
    static let mismatch: Int32 = 20
    static let misuse: Int32 = 21
    static let range: Int32 = 25
    static let notADatabase: Int32 = 26
    static let row: Int32 = 100
    static let done: Int32 = 101

    static let null: Int32 = 5
    /// SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX: the caller makes sure that calls don't overlap.
    static let openFlags: Int32 = 0x2 | 0x4 | 0x8000
    /// SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX.
    static let readingFlags: Int32 = 0x1 | 0x8000
    /// SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX.
    static let addressFlags: Int32 = 0x1 | 0x40 | 0x8000
    static let preparePersistent: UInt32 = 1
}
