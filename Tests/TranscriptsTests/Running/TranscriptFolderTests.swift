import FoundationEssentials
import Testing
import Transcripts

struct TranscriptFolderTests {
    @Test func `a folder's transcripts are its own .jsonl files, by name`() throws {
        let folder = try TemporaryFolder()
        for name in ["b.jsonl", "a.jsonl", "notes.txt", "c.jsonl.bak"] { try folder.write("", to: name) }
        try FileManager.default.createDirectory(atPath: folder.file("more"), withIntermediateDirectories: false)
        try folder.write("", to: "more/d.jsonl")
        let paths = [folder.file("a.jsonl"), folder.file("b.jsonl")]
        #expect(try TranscriptFolder.transcripts(in: folder.path) == paths)
        #expect(try TranscriptFolder.transcripts(at: folder.path) == paths)
        #expect(try TranscriptFolder.transcripts(at: "\(folder.path)//") == paths)
    }

    @Test func `the path of a file is returned as it is, whether or not the file exists`() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "notes.txt")
        for path in [folder.file("notes.txt"), folder.file("none")] {
            #expect(try TranscriptFolder.transcripts(at: path) == [path])
        }
    }

    @Test func `a folder that is missing or has no transcripts is an error that names it`() throws {
        let folder = try TemporaryFolder()
        for path in [folder.path, folder.file("none")] {
            let error = #expect(throws: TranscriptError.self) { try TranscriptFolder.transcripts(in: path) }
            #expect(error?.path == path)
        }
    }
}
