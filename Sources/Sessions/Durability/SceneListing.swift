import JSON

/// One step of listing stored scenes.
package struct SceneListing: Sendable, Equatable {
    /// The most recently used first.
    package let scenes: [ListedScene]
    /// Where the next step goes on; nil where this was the last.
    package let rest: Int?

    package init(scenes: [ListedScene], rest: Int? = nil) {
        (self.scenes, self.rest) = (scenes, rest)
    }
}

/// A stored scene in a list, as its root is: nothing of the scene is read besides.
package struct ListedScene: Sendable, Equatable {
    package let header: StoredScene.Header
    /// The name under which the root's view model is registered.
    package let viewModel: String
    /// The JSON text that the root was opened with; nil where there was none.
    package let arguments: [UInt8]?
    package let title: String?
    /// The server that has the scene; nil where none has it, or the store doesn't say so.
    package var holder: SceneHolder?

    package init(
        header: StoredScene.Header, viewModel: String, arguments: [UInt8]?, title: String?, holder: SceneHolder? = nil
    ) {
        (self.header, self.viewModel, self.arguments) = (header, viewModel, arguments)
        (self.title, self.holder) = (title, holder)
    }

    /// The approximate size in a list.
    var bytes: Int { Self.bytes(arguments: arguments?.count ?? 0) + (title?.utf8.count ?? 0) }

    /// Returns the approximate size of a scene without a title.
    package static func bytes(arguments: Int) -> Int { 256 + arguments }
}

/// Whose scenes are listed, and how many: the most recently used ones.
///
/// To a person belong the scenes that only they find, and those that they opened and that only their keys find. The scenes
/// that everyone finds are in each list.
package struct SceneFilter: Sendable, Equatable {
    /// The person whose scenes are listed, by the name that the store knows them by; nil: those that everyone finds, alone.
    package let person: String?
    /// The owners whose scenes are the person's where no scope has them.
    package let owners: [String]
    /// How many scenes are listed at most, and how long all of them are together.
    package var maximumCount: Int
    package var maximumBytes: Int

    package init(person: String?, owners: [String], maximumCount: Int, maximumBytes: Int) {
        (self.person, self.owners) = (person, owners)
        (self.maximumCount, self.maximumBytes) = (maximumCount, maximumBytes)
        let everyone = Self.prefix([SessionScope.everyone.rawValue])
        scopePrefixes = person.map { [everyone, Self.prefix([SessionScope.person.rawValue, $0])] } ?? [everyone]
    }

    /// What the `once` of a scene begins with that a scope has.
    package static let scopePrefix = "scope:"

    /// The beginnings of the `once` of scenes that are listed, whoever opened them.
    package let scopePrefixes: [String]

    private static func prefix(_ words: [String]) -> String {
        let place = JSONText { writer in
            writer.beginArray()
            for word in words { writer.string(word) }
            writer.endArray()
        }
        return "\(scopePrefix)\(String(decoding: place.bytes.dropLast(), as: UTF8.self)),"
    }

    /// Whether a stored scene is listed.
    package func takes(_ header: StoredScene.Header) -> Bool {
        guard let once = header.once, once.hasPrefix(Self.scopePrefix) else { return owners.contains(header.owner) }
        return scopePrefixes.contains { once.hasPrefix($0) }
    }

    /// Whether a scene in memory is listed.
    package func takes(_ scene: Scene, isDurable: Bool) -> Bool {
        switch scene.scope {
        case .everyone: true
        case .person: scene.person == person
        case .each: isDurable && scene.person == person && owners.contains(scene.owner)
        }
    }

    /// Whether nothing more is listed.
    package var isFull: Bool { maximumCount <= 0 || maximumBytes < ListedScene.bytes(arguments: 0) }

    /// Leaves less room, as these scenes are listed.
    package mutating func add(_ scenes: [ListedScene]) {
        maximumCount -= scenes.count
        maximumBytes -= scenes.reduce(0) { $0 + $1.bytes }
    }
}
