public import ViewModels

// Lesson 7: a tool that is used every day.
//
// The files below a folder are found once, followed from then on, and ranked again with each key. A `query` takes the place
// of the one before, whose work is cancelled. The results are a list that is kept, so a View has the best of them without
// asking, and its selection stays on its file while more come. A chosen file is shown by a view model of its own, beside
// the finder, which follows it.

// Over 400 lines because the searches that it runs change what it shows, which is private to it.
/// Finds files by what is typed of their paths, and lines by what is in them.
public actor FinderViewModel: ViewModel, PerRequest {
    /// The arguments that a session is opened with.
    public struct Arguments: Codable, Sendable {
        /// A folder in the one that the server was started in, or its absolute path; that one itself when it is left out.
        public var root: String?
        /// Whether files are found whose names begin with a dot; false when it is left out.
        public var hidden: Bool?
        /// Whether files are left out that git ignores; true when it is left out.
        public var ignore: Bool?

        /// A wish for a folder.
        ///
        /// - Parameters:
        ///   - root: the folder; the one that the server was started in when it is nil.
        ///   - hidden: whether files are found whose names begin with a dot; false when it is nil.
        ///   - ignore: whether files are left out that git ignores; true when it is nil.
        public init(root: String? = nil, hidden: Bool? = nil, ignore: Bool? = nil) {
            self.root = root
            self.hidden = hidden
            self.ignore = ignore
        }
    }

    /// What is searched.
    public enum Mode: String, Codable, Sendable {
        /// The paths of files, by fzf's rules: several words, of which `!` excludes, `^` and `$` are at an end, and `'` is
        /// exact.
        case files
        /// The lines that have the text in them.
        case text
        /// The lines that match the text, an extended regular expression of POSIX.
        case regex
    }

    /// The user's actions.
    public enum ViewEvent: Codable, Sendable, Equatable, ScheduledEvent {
        /// Searches for this, in place of what was searched before. Answered when all files that are known were searched, or
        /// another search has begun. Case matters where the text has a capital.
        case query(text: String)
        /// Searches something else, for the same text.
        case mode(Mode)
        /// Shows the file of the result at this place, from 0, beside the finder. Where the list has changed meanwhile, the
        /// result with the `id` counts.
        case preview(index: Int, id: String?)
        /// Decides for the result at this place; `id` as for `preview`.
        case accept(index: Int, id: String?)
        /// Looks at the folder again.
        case refresh

        /// A query supersedes the one before it. Nothing waits for one: what is chosen is on the screen already.
        public var schedule: EventSchedule {
            switch self {
            case .query, .mode, .preview: .superseding(waits: false)
            case .accept, .refresh: .independent
            }
        }
    }

    /// The contents of the View, beside the results.
    public enum ViewModelEvent: Codable, Sendable, Equatable, ReplaceableEvent {
        /// What is searched.
        case query(text: String, mode: Mode)
        /// How many files and folders were found, and whether that is all.
        case scanning(files: Int, directories: Int, isDone: Bool)
        /// How many files or lines match, and whether that is all. The list has the 1,000 best files, or the first 10,000
        /// lines.
        case matches(count: Int, isComplete: Bool)
        /// The user has decided: the file's absolute path, which as a URI is exact where it isn't UTF-8, and the line, from
        /// 1.
        case accepted(path: String, uri: String, line: Int?)
        /// Why there are no results, as a sentence for the user; without a message once there may be.
        case failed(message: String?)
        /// A word beside the results; without a message once it isn't so any more.
        case note(message: String?)

        /// Each takes the place of the one before, but for decisions.
        public var coalescingKey: String? {
            switch self {
            case .query: "query"
            case .scanning: "scanning"
            case .matches: "matches"
            case .failed: "failed"
            case .note: "note"
            case .accepted: nil
            }
        }
    }

    /// How many batches of a folder that is read for the first time make its first results. Results are shown again each time
    /// that the number of batches has doubled.
    private static let batchesShown = 4

    /// Sends what isn't in the list.
    public let output = Output<ViewModelEvent>()
    /// The best files, the best one first, or lines in the order in which they are found.
    public nonisolated let results = Rows<FinderResult>()
    private let scan: FileScan
    private let follower: FileFollower
    private let previewed: PreviewedFile
    private let navigation: NavigationService
    private let clock: any Clock<Duration>
    private var following: Task<Void, Never>?

    /// All files that are known, in no order.
    private var files: [FileBatch] = []
    /// The files for the next search; nil where it is in `files`, too.
    private var nextFiles: [FileBatch]?
    private var found = FileScan.Summary()
    private var isScanned = false
    private var isWatched = true
    private var text = ""
    private var mode = Mode.files
    private var matchCount = 0
    private var isComplete = false
    private var failure: String?
    private var rootFailure: String?
    private var progress = FinderSearch()
    /// The number of the newest search. One with an earlier number is superseded, and sends nothing.
    private var searchNumber = 0
    private var searching: Task<Void, any Error>?
    /// Whether the search was cancelled in the middle. It can't go on then, only begin anew.
    private var isCut = false
    /// The number of the newest wish: a query, or a mode.
    private var wishNumber = 0
    private var isStopped = false

    /// A finder that reads nothing before `start()`.
    ///
    /// - Throws: `InvalidArgument` for a folder that isn't there, or is outside of the one that the server was started in;
    ///   the container's error, where it has no navigation.
    public init(container: Container, arguments: Arguments) throws {
        let folder: ServedFolder = try container.resolve()
        let root = try folder.resolve(arguments.root)
        scan = FileScan(root, findsHidden: arguments.hidden ?? false, findsIgnored: !(arguments.ignore ?? true))
        clock = try container.resolve()
        follower = FileFollower(scan, clock: clock)
        previewed = try container.resolve()
        navigation = try container.resolve()
    }

    /// Looks for files, and follows those that come and go from then on.
    public func start() {
        for event in snapshot() { output.send(event) }
        begin()
        following = Task { [weak self, follower] in
            await follower.run { [weak self] in await self?.note($0) }
        }
    }

    /// Ends all work.
    public func stop() {
        isStopped = true
        following?.cancel()
        searching?.cancel()
    }

    /// What is searched, how far that is, and what there is to say.
    public func snapshot() -> [ViewModelEvent] {
        [.query(text: text, mode: mode), scanning, matches, failed, note]
    }

    private var scanning: ViewModelEvent {
        .scanning(files: found.files, directories: found.folders, isDone: isScanned)
    }
    private var matches: ViewModelEvent { .matches(count: matchCount, isComplete: isComplete) }
    private var failed: ViewModelEvent { .failed(message: rootFailure ?? failure) }
    private var note: ViewModelEvent {
        var words: [String] = []
        if !isWatched {
            words.append("Not all folders can be watched: files that come or go are seen at the next refresh or query.")
        }
        words += progress.leftOut.words
        return .note(message: words.isEmpty ? nil : words.joined(separator: " "))
    }

    /// Searches, shows, decides, or looks at the folder again.
    ///
    /// - Throws: `FinderFailure` for a result that isn't there, `NavigationError` where a file can't be shown,
    ///   `CancellationError` for a query that is cancelled or superseded.
    public func handle(event: ViewEvent) async throws {
        switch event {
        case .query(let text):
            let maximum = TextQuery.maximumCount
            guard text.utf8.count <= maximum else { throw FinderFailure.tooLong(maximum: maximum) }
            self.text = text
            try await search()
        case .mode(let mode):
            self.mode = mode
            try await search()
        case .preview(let index, let id):
            let result = try result(at: index, id: id)
            previewed.place.value = PreviewedFile.Place(root: scan.root, path: result.pathBytes, line: result.line)
            if previewed.preview.value == nil { try navigation.push(FinderPreviewViewModel.self) }
        case .accept(let index, let id): try accept(result(at: index, id: id))
        case .refresh: follower.refresh()
        }
    }
}

/// Results that the user chooses.
extension FinderViewModel {
    private func result(at index: Int, id: String?) throws(FinderFailure) -> FinderResult {
        let count = results.count
        let result = (0..<count).contains(index) ? results[index] : nil
        guard let id, result?.id != id else {
            if let result { return result }
            throw .noResult(index: index, count: count)
        }
        guard let result = results.all.first(where: { $0.id == id }) else { throw .gone(path: id) }
        return result
    }

    private func accept(_ result: FinderResult) throws(FinderFailure) {
        let path = FilePath(result.pathBytes, below: scan.root)
        guard path.exists else { throw .gone(path: result.path) }
        output.send(.accepted(path: path.text, uri: path.uri, line: result.line))
    }
}

/// Changes of the folder.
extension FinderViewModel {
    private func note(_ news: FileFollower.News) {
        if isStopped { return }
        switch news {
        case .found(let batch):
            files.append(batch)
            found.files += batch.count
            // A small folder is shown at once, and not bit by bit.
            guard files.count.isMultiple(of: Self.batchesShown) else { return }
            output.send(scanning)
            guard (files.count / Self.batchesShown).nonzeroBitCount == 1 else { return }
        case .scanned(let all, let summary, let isWatched):
            let isFirst = !isScanned
            (isScanned, found) = (true, summary)
            if self.isWatched != isWatched {
                self.isWatched = isWatched
                output.send(note)
            }
            setRootFailure(nil)
            output.send(scanning)
            if !isFirst { replaceFiles(all) }
        case .failed(let error):
            (isScanned, found) = (true, FileScan.Summary())
            setRootFailure("\(error)")
            output.send(scanning)
            replaceFiles([])
        }
        searchOn()
    }

    private func replaceFiles(_ all: [FileBatch]) {
        nextFiles = all
        // Lines stay: a search for them takes a while, and the next one is in these files.
        if mode == .files || all.isEmpty { begin() }
    }

    private func setRootFailure(_ message: String?) {
        guard message != rootFailure else { return }
        rootFailure = message
        output.send(failed)
    }
}

/// Searches, which go on with files that are found later.
extension FinderViewModel {
    private func search() async throws {
        output.send(.query(text: text, mode: mode))
        if !isWatched || rootFailure != nil { follower.refresh() }
        begin()
        wishNumber += 1
        let wish = wishNumber
        while wish == wishNumber, !isStopped {
            let task = searchOn()
            do {
                return try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
            } catch is CancellationError {
                // Files have come or gone, and it began anew; or another event has begun another search.
                if !Task.isCancelled { continue }
                // Who asked waits no more, and mostly has asked for something else. Else the search goes on for others.
                isCut = wish == wishNumber
                Task { [weak self, clock] in
                    try await clock.sleep(for: .milliseconds(100))
                    await self?.searchAgain(wish)
                }
                throw CancellationError()
            }
        }
    }

    private func searchAgain(_ wish: Int) {
        if isCut, wish == wishNumber, !isStopped { searchOn() }
    }

    /// Begins anew with all files. What was searched before is cancelled.
    private func begin() {
        if let nextFiles { (files, self.nextFiles) = (nextFiles, nil) }
        searching?.cancel()
        (searching, isCut) = (nil, false)
        searchNumber += 1
        var message: String?
        let leftOut = progress.leftOut
        do throws(TextQuery.Invalid) {
            progress = try FinderSearch(text, mode, after: progress)
        } catch {
            progress = FinderSearch()
            message = error.description
        }
        if leftOut != progress.leftOut { output.send(note) }
        if failure != message {
            failure = message
            output.send(failed)
        }
    }

    /// Searches what wasn't searched yet, unless that is on its way.
    @discardableResult
    private func searchOn() -> Task<Void, any Error> {
        if isCut { begin() }
        if let searching { return searching }
        // Not in the caller's task, which may end with its event while others wait for what is found.
        let task = Task { [searchNumber] in try await searchAll(searchNumber) }
        searching = task
        return task
    }

    private func searchAll(_ number: Int) async throws {
        defer { if number == searchNumber { searching = nil } }
        repeat {
            try check(number)
            let end = files.count
            let new = Array(files.dropFirst(progress.batches))
            switch progress.kind {
            case .files(var ranking):
                try await ranking.add(new)
                try check(number)
                progress.kind = .files(ranking)
                show(ranking)
            case .lines(let query):
                try await find(query, in: new, number)
            case .nothing: results.replace(with: [])
            }
            try check(number)
            progress.batches = end
        } while progress.batches < files.count
        switch progress.kind {
        case .files(let ranking): tellMatches(ranking.total, isComplete: isScanned)
        case .lines: tellMatches(progress.lines, isComplete: isScanned && progress.lines < FinderSearch.maximumLines)
        case .nothing: tellMatches(0, isComplete: true)
        }
    }

    /// - Throws: `CancellationError` where another search has taken the place of this one.
    private func check(_ number: Int) throws {
        if number != searchNumber { throw CancellationError() }
    }

    private func show(_ ranking: FuzzyRanking) {
        var matcher = FuzzyMatcher(ranking.pattern)
        results.replace(with: ranking.best.map { FinderResult($0, by: &matcher) })
    }

    private func find(_ query: TextQuery, in new: [FileBatch], _ number: Int) async throws {
        if !new.isEmpty { tellMatches(matchCount, isComplete: false) }
        do {
            let search = TextSearch(query, below: scan.root)
            let summary = try await search.run(new) { [weak self] in await self?.add($0, number) }
            if number == searchNumber, summary.leftOut != .init() {
                progress.leftOut += summary.leftOut
                output.send(note)
            }
        } catch let error as FileScan.UnreadableRoot {
            setRootFailure("\(error)")
        } catch is CancellationError where number == searchNumber && progress.lines >= FinderSearch.maximumLines {
            // There is enough.
        }
        // What an earlier search has found stays until this one finds something.
        if number == searchNumber, progress.lines == 0 { results.replace(with: []) }
    }

    private func add(_ found: TextSearch.Found, _ number: Int) {
        guard number == searchNumber else { return }
        let path = found.batch.path(at: found.index)
        let rows = found.lines.prefix(FinderSearch.maximumLines - progress.lines).map { FinderResult($0, in: path) }
        if progress.lines == 0 { results.replace(with: rows) } else { results.append(contentsOf: rows) }
        progress.lines += rows.count
        tellMatches(progress.lines, isComplete: false)
        if progress.lines >= FinderSearch.maximumLines { searching?.cancel() }
    }

    private func tellMatches(_ count: Int, isComplete: Bool) {
        guard (count, isComplete) != (matchCount, self.isComplete) else { return }
        (matchCount, self.isComplete) = (count, isComplete)
        output.send(matches)
    }
}
