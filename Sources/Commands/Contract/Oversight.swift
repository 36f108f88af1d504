package import Contracts
package import Sessions
import ViewModels

/// A part of a view model that compiles and does nothing.
package struct Oversight {
    let place: Documentation.Place?
    /// The mistake, and how to correct it.
    package let text: String

    /// - Parameter documentation: without symbol graphs, only those are found that the types show.
    package static func all(in registry: Registry, _ documentation: Documentation) -> [Oversight] {
        registry.allNames.compactMap { registry.types(of: $0) }.flatMap { types in
            let search = OversightSearch(types: types, documentation: documentation)
            return (search.ofMembers + search.ofEvents + search.ofState).map { place, words in
                Oversight(place: place, text: "\(types.name): \(words)")
            }
        }
    }
}

/// The rules, for one view model.
private struct OversightSearch {
    typealias Found = (place: Documentation.Place?, words: String)

    let types: ViewModelTypes
    let documentation: Documentation

    /// Members of the view model that look like those that are called, and aren't.
    var ofMembers: [Found] {
        documentation.declarations(of: types.model).compactMap { member in
            words(member).map { (member.place, "\(member.plainText) is never called: \($0)") }
        }
    }

    private func words(_ member: Documentation.Declaration) -> String? {
        switch member.name {
        case "snapshot", "snapshot()":
            guard case .cases(let event) = types.events else {
                return "a view that comes late is sent the values of the properties"
            }
            return isSnapshot(member, of: event) ? nil : "it must be func snapshot() -> [ViewModelEvent]"
        case "start()": return member.returned == nil ? nil : "it must return nothing"
        case "viewsDidAppear()", "viewsDidDisappear()":
            let isHook = member.returned == nil && !member.text.contains(" throws")
            return isHook ? nil : "it must return nothing, and throw nothing"
        case "willGoBack()": return types.model is any BackHandling.Type ? nil : "conform to BackHandling"
        default: return nil
        }
    }

    /// A name of one's own may be another one for the array, so it is right.
    private func isSnapshot(_ member: Documentation.Declaration, of event: any Any.Type) -> Bool {
        guard member.name == "snapshot()", let returned = member.returned else { return false }
        let names = ["ViewModelEvent", "HostedEvent", "\(event)"]
        func last(_ name: Substring) -> String { String(name.split(separator: ".").last ?? "") }
        if returned.hasPrefix("["), returned.hasSuffix("]") {
            return names.contains(last(returned.dropFirst().dropLast()))
        }
        let others = names + ["String", "Int", "Double", "Bool", "Void", "()"]
        return !returned.hasSuffix("?") && !others.contains(last(returned))
    }

    /// Events that say something which nobody asks.
    var ofEvents: [Found] {
        var found: [Found] = []
        if types.viewEvent is any ReplaceableEvent.Type {
            let words = "ReplaceableEvent does nothing on a view event: conform to ScheduledEvent"
            found.append((documentation.place(ofType: types.viewEvent), words))
        }
        switch types.events {
        case .cases(let event) where !(event is any ReplaceableEvent.Type):
            let key = documentation.declarations(of: event).first { $0.name == "coalescingKey" }
            if let key { found.append((key.place, "coalescingKey is never asked for: conform to ReplaceableEvent")) }
        case .values(let values) where values.isEmpty && types.lists.isEmpty:
            let words = "it sends nothing: no property of it is @Observed, a Dynamic or Rows"
            found.append((documentation.place(ofType: types.model), words))
        default: break
        }
        return found
    }
}

extension OversightSearch {
    /// States that aren't saved.
    fileprivate var ofState: [Found] {
        guard let state = types.state else { return [] }
        var found: [Found] = []
        if case .properties(let values) = state.form, values.isEmpty, types.model is any NotifyingViewModel.Type {
            let words = "its state isn't saved: make the properties that it is made of @Saved"
            found.append((documentation.place(ofType: types.model), words))
        }
        return found
    }
}

extension Documentation.Declaration {
    /// Without attributes and modifiers.
    fileprivate var plainText: Substring {
        ["func ", "var ", "let "].compactMap { text.firstRange(of: $0)?.lowerBound }.min().map { text[$0...] }
            ?? text[...]
    }

    /// The type that a function returns, without blanks; nil where it returns nothing.
    fileprivate var returned: Substring? {
        let form = text.filter { !$0.isWhitespace }
        return form.firstRange(of: "->").map { Substring(form[$0.upperBound...]) }
    }
}
