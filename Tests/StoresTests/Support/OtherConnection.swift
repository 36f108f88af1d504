import LibC
import Testing

/// Another program's connection to an SQLite file.
final class OtherConnection {
    private typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
    private typealias Execute =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>, UnsafeRawPointer?, UnsafeMutableRawPointer?, UnsafeRawPointer?
        ) -> Int32
    private typealias Close = @convention(c) (OpaquePointer?) -> Int32

    private let library: UnsafeMutableRawPointer
    private var connection: OpaquePointer?

    init(_ path: String) throws {
        library = try #require(dlopen("libsqlite3.so.0", RTLD_NOW))
        let open: Open = try Self.function("sqlite3_open", library)
        try #require(open(path, &connection) == 0)
    }

    deinit {
        if let close: Close = try? Self.function("sqlite3_close", library) { _ = close(connection) }
    }

    func execute(_ sql: String) throws {
        let execute: Execute = try Self.function("sqlite3_exec", library)
        let code = execute(connection, sql, nil, nil, nil)
        try #require(code == 0, "\(sql): error \(code)")
    }

    /// Puts the content of another file in the place of this one's, as the shell's `.restore` does.
    func restore(from path: String) throws {
        typealias Begin =
            @convention(c) (
                OpaquePointer?, UnsafePointer<CChar>, OpaquePointer?, UnsafePointer<CChar>
            ) -> OpaquePointer?
        let begin: Begin = try Self.function("sqlite3_backup_init", library)
        let step: @convention(c) (OpaquePointer?, Int32) -> Int32 = try Self.function("sqlite3_backup_step", library)
        let finish: @convention(c) (OpaquePointer?) -> Int32 = try Self.function("sqlite3_backup_finish", library)
        let source = try OtherConnection(path)
        let backup = try #require(begin(connection, "main", source.connection, "main"))
        // 101: done.
        #expect(step(backup, -1) == 101)
        #expect(finish(backup) == 0)
    }

    private static func function<Function>(_ name: String, _ library: UnsafeMutableRawPointer) throws -> Function {
        unsafeBitCast(try #require(dlsym(library, name)), to: Function.self)
    }
}
