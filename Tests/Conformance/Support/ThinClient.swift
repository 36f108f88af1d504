import FoundationEssentials
import Testing

/// A client of `clients`, whose `tests/run` drives it in its host program.
struct ThinClient: CustomTestStringConvertible {
    /// Of its folder.
    let name: String
    /// Without these it can't be driven.
    let tools: [Tool]

    /// Those that take longest come first, as those that begin last are alone at the end.
    static let all = [
        ThinClient(name: "web", tools: [.chromedriver, .python]),
        ThinClient(name: "vim", tools: [.vim, .tmux, .python]),
        ThinClient(name: "neovim", tools: [.neovim, .tmux, .python]),
        ThinClient(name: "emacs", tools: [.emacs, .tmux, .python]),
        ThinClient(name: "shell", tools: [.netcat, .jq]),
        ThinClient(name: "vscode", tools: [.node]),
        ThinClient(name: "python", tools: [.python]),
        ThinClient(name: "javascript", tools: [.node]),
    ]

    var isInstalled: Bool { tools.allSatisfy(\.isInstalled) && (name != "vim" || vimHasChannels) }

    var folder: String { "\(Checkout.root)/clients/\(name)" }

    var testDescription: String { name }

    /// The folders of `clients` that have tests to run.
    static func folders() throws -> Set<String> {
        let clients = "\(Checkout.root)/clients"
        return Set(
            try FileManager.default.contentsOfDirectory(atPath: clients).filter {
                FileManager.default.fileExists(atPath: "\(clients)/\($0)/tests/run")
            })
    }
}
