import FoundationEssentials
import Testing

/// A client of `clients`, whose `tests/run` drives it in its host program.
struct ThinClient: CustomTestStringConvertible {
    /// Of its folder.
    let name: String
    /// Without these it can't be driven.
    let tools: [Tool]
    /// The command, in the checkout, by which `conform` plays the rules for clients. The page is played as the JavaScript client,
    /// and a script keeps no view.
    var driver: [String]?

    /// Those that take longest come first, as those that begin last are alone at the end.
    static let all = [
        ThinClient(name: "web", tools: [.chromedriver, .python]),
        ThinClient(
            name: "vim", tools: [.vim, .tmux, .python],
            driver: ["vim", "-es", "-Nu", "NONE", "-S", "clients/vim/tests/driver.vim"]),
        ThinClient(
            name: "neovim", tools: [.neovim, .tmux, .python],
            driver: ["nvim", "--clean", "--headless", "-S", "clients/neovim/tests/driver.lua"]),
        ThinClient(
            name: "emacs", tools: [.emacs, .tmux, .python],
            driver: ["emacs", "-Q", "--batch", "-l", "clients/emacs/tests/driver.el"]),
        ThinClient(name: "shell", tools: [.netcat, .jq]),
        ThinClient(
            name: "vscode", tools: [.node],
            driver: ["node", "clients/vscode/tests/driver.mjs"]),
        ThinClient(
            name: "python", tools: [.python],
            driver: ["python3", "clients/python/tests/driver.py"]),
        ThinClient(
            name: "javascript", tools: [.node],
            driver: ["node", "clients/javascript/tests/driver.mjs"]),
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
