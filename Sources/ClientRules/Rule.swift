import ClientStories
package import Transcripts

/// Something that a client must do, and how that is tried.
package struct Rule: Sendable {
    /// For the command line: "numbers".
    package let name: String
    /// The rule in words.
    package let title: String
    /// The lines of a story; nil for a walk.
    package let text: String?
    private let make: @Sendable () -> any Play

    /// The first part of the names of all walks.
    package static let walkName = "list-walk"

    /// What plays it, once.
    package var play: any Play { make() }

    /// A walk through what can happen to a list, of which each seed is another.
    package static func walk(seed: Int) -> Rule {
        Rule(
            name: "\(walkName)-\(seed)",
            title: "A list shows the rows of one moment, whatever happens, and in the end those that there are",
            text: nil
        ) { ListWalk(seed: seed) }
    }

    /// The rules of a file of stories.
    ///
    /// - Parameter path: for errors and reports.
    /// - Throws: `TranscriptError` with the line that isn't one of a story.
    package static func all(in text: String, path: String) throws(TranscriptError) -> [Rule] {
        try Story.all(in: text, path: path).map { story in
            Rule(name: story.name, title: story.title, text: story.text) { StoryPlayer(story) }
        }
    }

    /// The stories that this package has, in reading order.
    ///
    /// - Throws: `TranscriptError` where one isn't a story, which a test rules out.
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
