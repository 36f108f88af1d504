/// Statuses beside 0 and 1, as sysexits.h names them.
enum ExitStatus {
    static let usage: Int32 = 64
    static let unavailable: Int32 = 69
}
