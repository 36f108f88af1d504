import Contracts
import Sessions
import ViewModels

/// The search for mistakes in one view model and in what it keeps.
struct OversightSearch {
    struct Found {
        let place: Documentation.Place?
        /// The type that the mistake is in; nil for the view model.
        var subject: String?
        let words: String
    }

    let types: ViewModelTypes
    let roles: TypeRoles
    let documentation: Documentation

    var found: [Found] {
        let kept = KeptTypes.all(keptBy: types.model)
        return ofMembers + ofEvents + ofState + ofFields(of: types.model) + kept.flatMap { ofKept($0) }
            + ofVersions(kept)
    }

    /// Returns a mistake of a type.
    ///
    /// - Parameter type: the type; nil for the view model.
    func found(_ words: String, of type: (any Any.Type)? = nil) -> Found {
        Found(
            place: documentation.place(ofType: type ?? types.model), subject: type.map { TypeNames.qualified($0) },
            words: words)
    }
}

extension OversightSearch {
    /// Members of the view model that look like those that the server calls, and aren't called.
    private var ofMembers: [Found] {
        documentation.declarations(of: types.model).compactMap { member in
            words(member).map { Found(place: member.place, words: "\(member.plainText) is never called: \($0)") }
        }
    }

    private func words(_ member: Documentation.Declaration) -> String? {
        switch member.name {
        case "snapshot", "snapshot()":
            guard case .cases(let event) = types.events else {
                return "a view that comes late is sent the values of the properties"
            }
            return isSnapshot(member, of: event) ? nil : "it must be func snapshot() -> [ViewModelEvent]"
        case "start()", "stop()": return member.returned == nil ? nil : "it must return nothing"
        // A view model that isn't durable may have such a method for itself.
        case "resume()" where types.state != nil: return member.returned == nil ? nil : "it must return nothing"
        case "viewsDidAppear()", "viewsDidDisappear()":
            let isHook = member.returned == nil && !member.text.contains(" throws")
            return isHook ? nil : "it must return nothing, and throw nothing"
        case "viewersDidChange(_:)":
            return types.model is any PresenceViewModel.Type ? nil : "conform to PresenceViewModel"
        case "willGoBack()": return types.model is any BackHandling.Type ? nil : "conform to BackHandling"
        case "restore(_:)" where types.state == nil:
            let names = documentation.declarations(of: types.model).map(\.name)
            return names.contains("savedState") ? "conform to DurableViewModel" : nil
        default: return nil
        }
    }

    /// Whether a method is the snapshot of the view model. If its result type has another name, that may be an alias of the
    /// array.
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
}

extension OversightSearch {
    /// Mistakes in events: event types that nobody uses, and events that are sent to nobody.
    private var ofEvents: [Found] { ofViewEvent + ofViewModelEvents }

    private var ofViewEvent: [Found] {
        let event = types.viewEvent
        var found: [Found] = []
        if event is any ReplaceableEvent.Type, !roles.isEvent(event) {
            let words = "ReplaceableEvent does nothing on a view event: conform to ScheduledEvent"
            found.append(Found(place: documentation.place(ofType: event), words: words))
        }
        if !(event is any ScheduledEvent.Type),
            let schedule = documentation.declarations(of: event).first(where: { $0.isSchedule })
        {
            let words = "schedule is never asked for: conform to ScheduledEvent"
            found.append(Found(place: schedule.place, words: words))
        }
        return found
    }

    private var ofViewModelEvents: [Found] {
        guard case .cases(let event) = types.events else { return ofPropertyEvents }
        var found: [Found] = []
        if event is any ScheduledEvent.Type, !roles.isViewEvent(event) {
            let words = "ScheduledEvent does nothing on a view model event: conform to ReplaceableEvent"
            found.append(Found(place: documentation.place(ofType: event), words: words))
        }
        if !(event is any ReplaceableEvent.Type),
            let key = documentation.declarations(of: event).first(where: { $0.name == "coalescingKey" })
        {
            let words = "coalescingKey is never asked for: conform to ReplaceableEvent"
            found.append(Found(place: key.place, words: words))
        }
        return found
    }

    /// Mistakes of a view model whose properties are its events.
    private var ofPropertyEvents: [Found] {
        var words: [String] = []
        let isNotifying = types.model is any NotifyingViewModel.Type
        if case .values(let values) = types.events, values.isEmpty, types.lists.isEmpty {
            words.append("it sends nothing: no property of it is @Observed, a Dynamic or Rows")
        }
        if PropertyField.all(of: types.model).contains(where: { $0.name == "output" && $0.type is any AnyOutput.Type })
        {
            let advice = isNotifying ? "raise changed" : "set a property that is @Observed"
            words.append(
                "what 'output' of \(typeName) sends reaches no View: \(advice) in its place, or conform to ViewModel")
        }
        return words.map { found($0) }
    }

    var typeName: String { TypeNames.qualified(types.model) }
}

extension Documentation.Declaration {
    /// The declaration without attributes and modifiers.
    fileprivate var plainText: Substring {
        ["func ", "var ", "let "].compactMap { text.firstRange(of: $0)?.lowerBound }.min().map { text[$0...] }
            ?? text[...]
    }

    /// The type that a function returns, without blanks; nil if it returns nothing.
    fileprivate var returned: Substring? {
        let form = text.filter { !$0.isWhitespace }
        return form.firstRange(of: "->").map { Substring(form[$0.upperBound...]) }
    }

    fileprivate var isSchedule: Bool { name == "schedule" && text.contains("EventSchedule") }
}
