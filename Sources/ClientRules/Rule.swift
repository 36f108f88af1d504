import ClientStories
package import Transcripts

/// A rule that clients must keep, and the play that tests it.
package struct Rule: Sendable {
    /// The name on the command line, such as "numbers".
    package let name: String
    /// The rule in words.
    package let title: String
    /// The lines of the rule's story; nil for a walk.
    package let text: String?
    private let make: @Sendable () -> any Play

    /// The first part of the names of all walks.
    package static let walkName = "list-walk"

    /// A new play that tests the rule once.
    package var play: any Play { make() }

    /// Returns the rule of a random walk through what can happen to a list. Each seed makes another walk.
    package static func walk(seed: Int) -> Rule {
        Rule(
            name: "\(walkName)-\(seed)",
            title: "A list shows the rows of one moment, whatever happens, and in the end those that there are",
            text: nil
        ) { ListWalk(seed: seed) }
    }

    /// Returns the rules of a file of stories.
    ///
    /// - Parameter path: the file's path, for errors and reports.
    /// - Throws: `TranscriptError` for a line that isn't valid in a story.
    package static func all(in text: String, path: String) throws(TranscriptError) -> [Rule] {
        try Story.all(in: text, path: path).map { story in
            Rule(name: story.name, title: story.title, text: story.text) { StoryPlayer(story) }
        }
    }

    /// Returns the rules of all stories in this package, in reading order.
    ///
    /// - Throws: `TranscriptError` for an invalid story; a test ensures that there is none.
    package static func all() throws(TranscriptError) -> [Rule] {
        var all: [Rule] = []
        for index in 0..<client_stories_count() {
            let file = client_stories(index)
            let bytes = UnsafeBufferPointer(start: file.bytes, count: file.length)
            let path = "clients/rules/" + String(cString: file.name)
            all += try Rule.all(in: String(decoding: bytes, as: UTF8.self), path: path)
        }
        return all
    }
}
