import ClientRules
import LibC
import Transcripts
import Transport

/// Plays the rules for clients against a client's driver, and prints which rules the client keeps.
///
/// Confined to its loop.
final class Conform {
    static let command = Command(
        name: "conform", summary: "plays the rules for clients against yours, and says which it breaks",
        help: { ConformOptions.help(name: $0.name) },
        run: { _, arguments in
            let options = try ConformOptions(arguments)
            let rules = try chosen(options)
            if options.isList { return list(rules) }
            if options.isText { return printLines(of: rules) }
            return try await run(rules, options)
        })

    private let options: ConformOptions
    private let loop: EventLoop
    private let end: EndOfProcess
    private let terminal = Terminal()
    private var waiting: ArraySlice<Rule>
    private var running: [Int: PlayRunner] = [:]
    private var begun = 0
    private var (kept, broken, lacking) = (0, 0, 0)

    private init(_ rules: [Rule], _ options: ConformOptions, on loop: EventLoop, end: EndOfProcess) {
        self.options = options
        self.loop = loop
        self.end = end
        waiting = rules[...]
    }

    private static func run(_ rules: [Rule], _ options: ConformOptions) async throws -> Int32 {
        Stdio.bufferOutputByLine()
        let loop = try EventLoop(name: "conform")
        let end = EndOfProcess()
        try loop.start()
        loop.execute {
            let conform = Conform(rules, options, on: loop, end: end)
            do {
                _ = try SignalWatcher(on: loop) { conform.stop($0) }
                conform.beginNext()
            } catch {
                end.finish(with: .failure(error))
            }
        }
        let status = await end.status()
        loop.stop()
        await loop.join()
        return try status.get()
    }

    private func beginNext() {
        while running.count < options.jobs, let rule = waiting.popFirst() {
            begun += 1
            let number = begun
            var play = PlayRunner.Options(command: options.driver)
            if let timeout = options.timeout { play.patience = timeout }
            let runner = PlayRunner(rule.play, play, on: loop) { [self] outcome in
                running[number] = nil
                didEnd(rule, outcome)
            }
            running[number] = runner
            do throws(SystemError) {
                try runner.begin()
            } catch {
                return end.finish(with: .failure(error))
            }
        }
        guard running.isEmpty else { return }
        let left = lacking == 0 ? "" : ", \(lacking) not played, as the client lacks what they are about"
        print("\(kept) \(kept == 1 ? "rule" : "rules") kept, \(broken) broken\(left)")
        // If the client lacks everything that was asked for, nothing was tried, and that is no success.
        end.finish(with: .success(broken == 0 && kept > 0 ? 0 : 1))
    }

    private func didEnd(_ rule: Rule, _ outcome: PlayRunner.Outcome) {
        switch outcome.play {
        case .kept:
            kept += 1
            print("\(terminal.green("kept"))    \(rule.name): \(rule.title)")
        case .notStarted(let status):
            StandardError.write("the driver can't be started: \(options.driver.joined(separator: " "))")
            return end.finish(with: .success(status))
        case .lacking(let thing):
            lacking += 1
            print("lacks   \(rule.name): \(rule.title) (the client has no \(thing))")
        case .broken(let failure):
            broken += 1
            print("\(terminal.red("BROKEN"))  \(rule.name): \(rule.title)\n\(failure.report(width: terminal.width))")
            if !outcome.printed.isEmpty { print("\n  the driver printed:\n\(outcome.printed)") }
        }
        beginNext()
    }

    private func stop(_ signal: Int32) {
        waiting = []
        end.finish(with: .success(128 + signal))
    }

    /// Returns the rules to play: those that the options name, or all.
    ///
    /// - Throws: `UsageError` for a name that no rule has, and for a file without valid rules.
    private static func chosen(_ options: ConformOptions) throws -> [Rule] {
        let walks = (0..<options.walks).map { Rule.walk(seed: options.seed + $0) }
        let all = try Rule.all() + walks
        guard !options.rules.isEmpty else { return all }
        var chosen: [Rule] = []
        for name in options.rules {
            if name.hasSuffix(".jsonl") {
                guard let text = try TextFile.read(name) else { throw UsageError(message: "there is no file \(name)") }
                do throws(TranscriptError) {
                    let rules = try Rule.all(in: text, path: name)
                    guard !rules.isEmpty else { throw TranscriptError(path: name, reason: "there is no rule in it") }
                    chosen += rules
                } catch {
                    throw UsageError(message: "\(error)")
                }
            } else {
                let named = all.filter { $0.name == name || $0.name.hasPrefix("\(name)-") && name == Rule.walkName }
                guard !named.isEmpty else {
                    throw UsageError(message: "there is no rule '\(name)'; --list names them")
                }
                chosen += named
            }
        }
        return chosen
    }

    private static func printLines(of rules: [Rule]) -> Int32 {
        for text in rules.compactMap(\.text) { print(text) }
        return 0
    }

    private static func list(_ rules: [Rule]) -> Int32 {
        let width = rules.map(\.name.count).max() ?? 0
        for rule in rules {
            print("\(rule.name)\(String(repeating: " ", count: width - rule.name.count + 2))\(rule.title)")
        }
        return 0
    }
}
