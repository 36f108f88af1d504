import Synchronization
import ViewModels

/// Saves the singletons that the sessions of a scene share, and gives them their values back when they are made.
final class SharedSaver: Sendable {
    private struct Entry {
        let type: any DurableSingleton.Type
        let name: String
        let properties: [NamedSavedProperty]
        /// For each property, the number of its changes at the last save; nil before the first one.
        var counts: [Int?]
        /// The saved text of each property with objects in it, by the property's index.
        ///
        /// A change of an object sets no property, so only the text shows it.
        var texts: [Int: [UInt8]] = [:]
        /// The indices of properties whose changes aren't reported, so that nobody knows which handler has made one.
        let unwatched: Set<Int>
        /// What is stored with the first values: the object's version, where the store doesn't know it, and an empty text for
        /// each value that they replace.
        var first: [SavedValue]
    }

    private struct State {
        var entries: [Entry] = []
        /// The texts that came from the store, by name.
        var stored: [String: [UInt8]]
        /// The names of stored values that no singleton has read yet.
        var unread: Set<String>
        /// The paths of members that a stored value has, and that its singleton doesn't read.
        var unreadMembers: [String] = []
    }

    private let state: Mutex<State>

    init(_ stored: [SavedValue]) {
        let values = stored.filter { !$0.text.isEmpty }.map { ($0.name, $0.text) }
        let texts = Dictionary(values, uniquingKeysWith: { first, _ in first })
        state = Mutex(State(stored: texts, unread: Set(texts.keys)))
    }

    /// Restores a singleton's stored values, and saves its values from now on.
    ///
    /// - Parameter willChange: called before each change that can be watched, with the lock of the property held.
    /// - Throws: `SavedPropertyError`, also where a value can't be read any more; `SameSavedName`.
    func add(_ singleton: any DurableSingleton, willChange: @escaping @Sendable () -> Void) throws {
        let type = type(of: singleton)
        let properties = try NamedSavedProperty.all(of: singleton)
        let (stored, others) = state.withLock { ($0.stored, $0.entries) }
        if let other = others.first(where: { $0.name == type.savedName && $0.type != type }) {
            throw SameSavedName(other.type, type, name: type.savedName)
        }
        let object = StoredObject(of: type, in: stored)
        let unread: UnreadValues
        do {
            unread = try object.restore(type, properties)
        } catch {
            throw SavedPropertyError(description: "\(type.savedName): \(error)")
        }
        let unwatched = properties.indices.filter { !properties[$0].property.watch(willChange) }
        state.withLock { state in
            // Another session may have read these values first.
            let first = object.takenPlaceOf(by: type, properties, unread: unread).filter {
                $0.text.isEmpty ? state.unread.contains($0.name) : true
            }
            state.unread.subtract(object.read(by: type, properties, unread: unread))
            state.unreadMembers += unread.members
            state.entries.append(
                Entry(
                    type: type, name: type.savedName, properties: properties, counts: properties.map { _ in nil },
                    unwatched: Set(unwatched), first: first))
        }
    }

    /// The names of stored values that no singleton has read, in alphabetical order. They stay in the store.
    ///
    /// - Parameter types: the types of singletons that may be made later. Values that these will read aren't among the names.
    func unread(beside types: [any DurableSingleton.Type]) -> [String] {
        let (unread, stored, entries) = state.withLock { ($0.unread, $0.stored, $0.entries) }
        guard !unread.isEmpty else { return [] }
        // A singleton that is made already has read its values.
        let later = types.filter { type in !entries.contains { $0.type == type } }
        let read = later.flatMap { type in
            let object = StoredObject(of: type, in: stored)
            if object.isOlder(than: type) { return object.names }
            return (PropertyNames.savedValues(of: type) ?? []).compactMap { property in
                SharedNames(of: type, property.name).found(in: stored)
            }
        }
        return unread.subtracting(read).filter { !SharedNames.isVersion($0) }.sorted()
    }

    /// Takes the members that no singleton has read, of values that singletons have read since the last call:
    /// `Basket/owner/age`.
    func takeUnreadMembers() -> [String] {
        state.withLock { state in
            defer { state.unreadMembers = [] }
            return state.unreadMembers
        }
    }

    /// A change of a property that hasn't been handed to the store yet.
    struct Change {
        fileprivate let entry: Int
        fileprivate let property: Int
        /// The number of the property's changes that the value includes.
        fileprivate let count: Int
        fileprivate let value: SavedValue
        fileprivate let hasObjects: Bool
        /// Whether any handler that runs may have made the change.
        let isUnwatched: Bool
    }

    /// Returns the changes since the last call of `take(_:)`.
    ///
    /// - Throws: the coding error of a value that JSON can't express.
    func changes() throws -> [Change] {
        var changes: [Change] = []
        for (index, entry) in state.withLock({ $0.entries }).enumerated() {
            for (property, named) in entry.properties.enumerated() {
                // Counted before the value is read, so that a property which changes meanwhile is saved again.
                let count = named.property.changeCount
                let isSet = count != entry.counts[property]
                guard isSet || entry.texts[property] != nil else { continue }
                let name = SharedNames.name(entry.name, named.name)
                let text = try SavedText.text(ofProperty: named.property)
                guard isSet || text.bytes != entry.texts[property] else { continue }
                changes.append(
                    Change(
                        entry: index, property: property, count: count,
                        value: SavedValue(name: name, text: text.bytes), hasObjects: text.hasObjects,
                        // The first save isn't a change: the property is as it was made.
                        isUnwatched: (!isSet || entry.unwatched.contains(property)) && entry.counts[property] != nil))
            }
        }
        return changes
    }

    /// Marks changes as handed to the store, and returns their values.
    ///
    /// A change is left out where another thread has taken a newer state of its property.
    func take(_ changes: [Change]) -> [SavedValue] {
        state.withLock { state in
            let values = changes.compactMap { change -> SavedValue? in
                let (entry, property) = (change.entry, change.property)
                let saved = state.entries[entry].texts[property]
                if let taken = state.entries[entry].counts[property],
                    taken > change.count || (taken == change.count && (saved == nil || saved == change.value.text))
                {
                    return nil
                }
                state.entries[entry].counts[property] = change.count
                state.entries[entry].texts[property] = change.hasObjects ? change.value.text : nil
                return change.value
            }
            // The first time, all values of an object are taken together.
            let entries = Set(changes.filter { state.entries[$0.entry].first.isEmpty == false }.map(\.entry))
            return values
                + entries.sorted().flatMap { index in
                    defer { state.entries[index].first = [] }
                    return state.entries[index].first
                }
        }
    }
}
