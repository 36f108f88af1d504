/// The options of the command `new`.
struct NewOptions: CommandOptions {
    var name = ""
    /// The package's folder.
    var folder = "."
    /// The target for the view model; nil if only one target comes into question.
    var target: String?
    var isDryRun = false

    mutating func take(_ argument: String) throws {
        guard name.isEmpty else { throw UsageError(message: "one view model at a time; '\(argument)' is another") }
        name = argument
    }

    func check() throws {
        guard !name.isEmpty else { throw UsageError(message: "name the view model, as in 'new OrderDetails'") }
    }

    static func flag(_ option: String) -> ((inout NewOptions) -> Void)? {
        switch option {
        case "--dry-run": { $0.isDryRun = true }
        default: nil
        }
    }

    static func value(_ option: String) -> ((inout NewOptions, String) throws -> Void)? {
        switch option {
        case "--folder": { $0.folder = $1 }
        case "--target": { $0.target = $1 }
        default: nil
        }
    }

    static func help(name: String) -> String {
        """
        Writes a new view model into a package of your own, ready to be changed: it builds, its tests pass,
        and clients can open it.

        Usage: \(name) new NAME [options]

        NAME is letters and digits, such as OrderDetails or orderDetails. Written are

          Sources/TARGET/OrderDetails/OrderDetailsViewModel.swift   two enums, and what they do
          Sources/TARGET/OrderDetails/OrderDetailsView.swift        a View in the same process
          Tests/TARGETTests/OrderDetailsViewModelTests.swift        the sequence of its events
          Tests/TARGETTests/Transcripts/orderDetails.jsonl          its first conversation
          Tests/TARGETTests/ConversationTests.swift                 replays it, where nothing does yet

        and a line of the package's register(in:), which names it orderDetails for clients. Package.swift is
        left alone: what it lacks is printed. So is the line, where it isn't clear where to put it.

        Options:
          --folder DIR    where the package is (.)
          --target NAME   the target of the package that it is for, where several name view models
          --dry-run       writes nothing: prints all that would be written
          --help          prints this

        Status: 0 when all is written, 64 for a wrong option or NAME, or where there is no package; 73 when
        something of that name is there already, and then nothing is written; 74 for a file that can't be
        read or written.
        """
    }
}
