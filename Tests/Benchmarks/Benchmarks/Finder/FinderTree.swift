import Benchmarking
import Foundation
import Glibc

/// A folder with so many files, the same in each run, removed when it is released.
///
/// It is a work tree of git, and has some files besides that git ignores.
final class FinderTree {
    /// Absolute, as all of these.
    let folder: String
    /// A folder without files.
    let emptyFolder: String
    /// A file with the path of each file, below the folder, by lines.
    let pathsFile: String
    private(set) var paths: [String] = []
    /// How many lines have the needle, by the other word in them.
    private var needles: [String: Int] = [:]
    private let top: URL

    static let needle = "needle"
    static let needleExpression = "needle[0-9]+ = (alpha|beta)"
    static let choiceExpression = "(alpha|gamma)[0-9]{3}"

    init(files: Int) throws {
        top = FileManager.default.temporaryDirectory.appending(path: "finder-tree-\(getpid())")
        folder = top.appending(path: "tree").path(percentEncoded: false)
        emptyFolder = top.appending(path: "empty").path(percentEncoded: false)
        pathsFile = top.appending(path: "paths").path(percentEncoded: false)
        for path in [folder + "/.git", emptyFolder] { try Self.makeFolder(path) }
        try Self.write("*.log\n/build/\n", to: folder + "/.gitignore")
        try make(files)
        try Self.write(paths.map { $0 + "\n" }.joined(), to: pathsFile)
        // What is written later disturbs no measurement.
        sync()
    }

    deinit {
        try? FileManager.default.removeItem(at: top)
    }

    private func make(_ files: Int) throws {
        var random = SplitMix(seed: 19)
        let blocks = (0..<64).map { _ in Self.text(&random) }
        var folders = [""]
        while paths.count < files {
            let parent = folders[random.next(below: folders.count)]
            let isDeep = parent.split(separator: "/").count > 7
            let path = (isDeep ? "" : parent) + Self.word(&random) + "-\(folders.count)/"
            folders.append(path)
            try Self.makeFolder("\(folder)/\(path)")
            let count = min(6 + random.next(below: 13), files - paths.count)
            for index in 0..<count {
                let name = Self.word(&random) + Self.word(&random).capitalized + "\(index)" + Self.ending(&random)
                try Self.write(contents(blocks[random.next(below: blocks.count)]), to: "\(folder)/\(path)\(name)")
                paths.append(path + name)
            }
            try Self.write("ignored", to: "\(folder)/\(path)last.log")
        }
    }

    /// Every two hundredth file has a line that is looked for.
    private func contents(_ block: String) -> String {
        guard paths.count % 200 == 7 else { return block }
        let kind = Self.kinds[paths.count / 200 % Self.kinds.count]
        needles[kind, default: 0] += 1
        return block + "let \(Self.needle)\(paths.count) = \(kind)\(100 + paths.count % 900)\n" + block
    }

    /// Lines of words: with 1 KiB to 4 KiB a file is as long as many sources are.
    private static func text(_ random: inout SplitMix) -> String {
        (0..<(20 + random.next(below: 80))).map { _ in
            (0..<(2 + random.next(below: 9))).map { _ in word(&random) }.joined(separator: " ") + "\n"
        }.joined()
    }

    private static func word(_ random: inout SplitMix) -> String {
        words[random.next(below: words.count)]
    }

    private static func ending(_ random: inout SplitMix) -> String {
        [".swift", ".swift", ".c", ".h", ".json", ".md", ".py", ".txt"][random.next(below: 8)]
    }

    private static let words =
        """
        account action address adapter archive array asset batch binary bridge buffer bundle cache channel character client \
        clock codec collection command compiler config connection container context controller core counter cursor data \
        decoder delegate device document driver editor element encoder engine entry error event example factory feature \
        field file filter folder format frame function gateway graph group handler header helper history image index input \
        instance interface iterator job journal kernel key language layer layout library limit line list loader local lock \
        log manager map matcher memory menu message method migration model module monitor navigation network node number \
        object observer option order output package page parser path pattern payment picker pipeline plugin pointer policy \
        pool preview process profile protocol provider proxy query queue range reader record region registry render report \
        request resource response result router row rule runtime sample scanner schedule schema scope search section \
        segment selection sequence server service session shape signal snapshot socket source stack state storage store \
        stream string style subject symbol system table target task template test text theme thread token tool track \
        transport tree type user utility validator value vector version view watcher widget window worker writer zone
        """.split(separator: " ").map(String.init)

    private static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    private static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemFailure("making \(path)") }
        defer { close(descriptor) }
        var text = text
        let isWritten = text.withUTF8 { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
        guard isWritten else { throw SystemFailure("writing \(path)") }
    }
}

extension FinderTree {
    static let kinds = ["alpha", "beta", "gamma", "delta"]

    /// How many lines have the needle and one of these.
    func lines(with kinds: [String]) -> Int {
        kinds.reduce(0) { $0 + needles[$1, default: 0] }
    }

    /// Words of ten letters, each of which matches at least one path.
    func queries(_ count: Int) -> [String] {
        stride(from: 0, to: paths.count, by: max(1, paths.count / count)).prefix(count).map { index in
            let letters = paths[index].split(separator: ".").first?.filter(\.isLetter).lowercased() ?? ""
            return String(letters.suffix(10))
        }
    }
}
