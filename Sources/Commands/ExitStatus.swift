/// Statuses beside 0 and 1, as sysexits.h names them.
enum ExitStatus {
    static let usage: Int32 = 64
    static let unavailable: Int32 = 69
    static let cantCreate: Int32 = 73
    static let inputOutput: Int32 = 74

    // As shells have them, for a program that can't be started.
    static let cantExecute: Int32 = 126
    static let notFound: Int32 = 127
}
