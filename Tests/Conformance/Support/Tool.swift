import FoundationEssentials
import Testing

/// A program that this project didn't write and that some tests need.
struct Tool: CustomTestStringConvertible {
    let name: String

    static let neovim = Tool(name: "nvim")
    static let emacs = Tool(name: "emacs")
    static let vim = Tool(name: "vim")
    static let netcat = Tool(name: "nc")
    static let python = Tool(name: "python3")
    static let pylsp = Tool(name: "pylsp")
    static let script = Tool(name: "script")
    static let git = Tool(name: "git")
    static let swift = Tool(name: "swift")
    static let swiftc = Tool(name: "swiftc")
    static let openssl = Tool(name: "openssl")
    static let nginx = Tool(name: "nginx")
    static let tsc = Tool(name: "tsc")
    static let mypy = Tool(name: "mypy")
    static let node = Tool(name: "node")
    static let jq = Tool(name: "jq")
    static let curl = Tool(name: "curl")
    static let systemdAnalyze = Tool(name: "systemd-analyze")
    static let tmux = Tool(name: "tmux")
    static let redis = Tool(name: "redis-server")
    static let haproxy = Tool(name: "haproxy")
    static let chromedriver = Tool(name: "chromedriver")

    /// Found in one of the folders of `PATH`.
    var isInstalled: Bool { path != nil }

    /// Its path; the bare name where it isn't installed, so that the error names the missing program.
    var command: String { path ?? name }

    var testDescription: String { name }

    private var path: String? {
        let variable = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        // Daemons are not in every user's path.
        let folders = variable.split(separator: ":").map(String.init) + ["/usr/sbin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that drive the programs in which clients live, which takes minutes. `.ci/run` runs them, and `swift test` is
    /// there for each change.
    static var drivesHostPrograms: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["HOST_PROGRAMS"] != nil,
            "it drives editors, browsers or clients in many languages; HOST_PROGRAMS=1 runs it")
    }
}
