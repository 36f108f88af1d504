import Foundation

/// What whoever waits is told, on standard error: standard output has the figures alone.
enum Progress {
    static func say(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
