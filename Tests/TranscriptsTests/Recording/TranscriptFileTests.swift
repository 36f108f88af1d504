import Glibc
import Testing
import Transcripts

struct TranscriptFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `an existing file is overwritten only on request, and only by something`() throws {
        let path = folder.file("story.jsonl")
        try TranscriptFile(path: path).write(Array("first, and longer\n".utf8))
        let error = #expect(throws: TranscriptError.self) { try TranscriptFile(path: path) }
        #expect(error?.description == "\(path): the file exists; with --overwrite it is recorded over")
        let file = try TranscriptFile(path: path, overwrites: true)
        #expect(contents(path) == "first, and longer\n")
        try file.write(Array("second\n".utf8))
        try file.write(Array("third\n".utf8))
        try file.close()
        #expect(contents(path) == "second\nthird\n")
    }

    @Test func `only the user may read a private file`() throws {
        _ = try TranscriptFile(path: folder.file("private"), isPrivate: true)
        #expect(permissions(folder.file("private")) == 0o600)
    }

    @Test func `without a conversation a new file is deleted, and an old one stays`() throws {
        let path = folder.file("story.jsonl")
        try TranscriptFile(path: path).discard()
        #expect(contents(path) == nil)
        try TranscriptFile(path: path).write(Array("first\n".utf8))
        try TranscriptFile(path: path, overwrites: true).discard()
        #expect(contents(path) == "first\n")
    }

    @Test(arguments: [("", "Is a directory"), ("/none/file", "No such file or directory")])
    func `a file that can't be written to is an error at once`(_ name: String, _ reason: String) throws {
        let path = folder.path + name
        let error = #expect(throws: TranscriptError.self) { try TranscriptFile(path: path, overwrites: true) }
        #expect(error?.description == "\(path): \(reason)")
    }

    @Test func `a full disk is an error of the write`() throws {
        let file = try TranscriptFile(path: "/dev/full")
        let error = #expect(throws: TranscriptError.self) { try file.write(Array("line\n".utf8)) }
        #expect(error?.description == "/dev/full: No space left on device")
    }

    /// In a process of its own, which has the limit to itself.
    @Test func `a file that can't take everything ends with a whole line`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let folder = try TemporaryFolder()
            var limit = rlimit(rlim_cur: 30, rlim_max: 30)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let file = try TranscriptFile(path: folder.file("story.jsonl"))
            try file.write(Array("0123456789\n".utf8))
            #expect(throws: TranscriptError.self) { try file.write(Array("second\nthird\nfourth line\n".utf8)) }
            #expect(contents(folder.file("story.jsonl")) == "0123456789\nsecond\nthird\n")
        }
    }
}
