import Synchronization
import ViewModels

/// Saves the singletons that the sessions of a scene share, and gives them their values back when they are made.
final class SharedSaver: Sendable {
    private struct Entry {
        /// Of the singleton's type, with a dot behind it.
        let prefix: String
        let properties: [NamedSavedProperty]
        /// Of the changes that are saved, property by property; nil before the first time.
        var counts: [Int?]
        /// Of these it isn't known who changes them.
        let unwatched: Set<Int>
    }

    private struct State {
        var entries: [Entry] = []
        /// As they were stored, by their names.
        var stored: [String: [UInt8]]
    }

    private let state: Mutex<State>

    init(_ stored: [SavedValue]) {
        let values = stored.map { ($0.name, $0.text) }
        state = Mutex(State(stored: Dictionary(values, uniquingKeysWith: { first, _ in first })))
    }

    /// Gives a singleton its values back, and saves it from now on.
    ///
    /// - Parameter willChange: called before each change that can be watched, with the lock of the property held.
    /// - Throws: `SavedPropertyError`, also where a value can't be read any more.
    func add(_ singleton: any DurableSingleton, willChange: @escaping @Sendable () -> Void) throws {
        let name = ViewModelTypes.name(of: type(of: singleton))
        let prefix = name + "."
        let properties = try NamedSavedProperty.all(of: singleton)
        let stored = state.withLock { $0.stored }
        for named in properties {
            guard let text = stored[prefix + named.name] else { continue }
            do {
                _ = try SavedText.restore(SavedValue(name: named.name, text: text), [named])
            } catch let error as UnreadableState {
                throw SavedPropertyError(description: "\(name): \(error.reason)")
            }
        }
        let unwatched = properties.indices.filter { !properties[$0].property.watch(willChange) }
        state.withLock {
            $0.entries.append(
                Entry(
                    prefix: prefix, properties: properties, counts: properties.map { _ in nil },
                    unwatched: Set(unwatched)))
        }
    }

    /// A value that isn't on its way to the store.
    struct Change {
        fileprivate let entry: Int
        fileprivate let property: Int
        /// Of the property's changes that it has.
        fileprivate let count: Int
        fileprivate let value: SavedValue
        /// Any handler that runs may have made it.
        let isUnwatched: Bool
    }

    /// The values that have changed since the last call of `take(_:)`.
    ///
    /// - Throws: where JSON can't express one.
    func changes() throws -> [Change] {
        var changes: [Change] = []
        for (index, entry) in state.withLock({ $0.entries }).enumerated() {
            for (property, named) in entry.properties.enumerated() {
                // Before the value, so that one which changes meanwhile is saved again.
                let count = named.property.changeCount
                guard count != entry.counts[property] else { continue }
                let value = SavedValue(
                    name: entry.prefix + named.name, text: try SavedText.text(ofProperty: named.property))
                changes.append(
                    Change(
                        entry: index, property: property, count: count, value: value,
                        // The first time it is saved as it was made.
                        isUnwatched: entry.unwatched.contains(property) && entry.counts[property] != nil))
            }
        }
        return changes
    }

    /// The values that go to the store now: those that no other thread has taken in a newer state.
    func take(_ changes: [Change]) -> [SavedValue] {
        state.withLock { state in
            changes.compactMap { change in
                if let taken = state.entries[change.entry].counts[change.property], taken >= change.count { return nil }
                state.entries[change.entry].counts[change.property] = change.count
                return change.value
            }
        }
    }
}
