import FoundationEssentials

/// A file of a test's own, removed when it is released.
final class ScratchFile {
    let path = "/tmp/transcript-\(UUID().uuidString)"

    init(_ bytes: some Sequence<UInt8>) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
