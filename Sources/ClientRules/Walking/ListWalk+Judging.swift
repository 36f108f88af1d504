import JSON

// The rules that a client's list must keep.
extension ListWalk {
    /// Judges the client's views. A client must show the rows of one moment, with the count of that moment.
    mutating func judge(_ views: JSONText) -> [PlayAction] {
        lastLook = views
        // The first look is before any event, so that nothing comes to rest before the client knows about the list.
        if step == 0, window.isEmpty {
            let isShown = views.withValue { $0.member("a")?.member("state")?.string() == "shown" }
            if isShown { return show() }
            state = .pausing
            return [.pause]
        }
        let list = views.withValue { $0.member("a")?.member("lists")?.member("rows").map { JSONText($0) } }
        lastLook = list ?? views
        // The client hasn't shown anything yet, or the view isn't there.
        guard let list, !window.isEmpty else {
            return isSettling ? settle(at: rested, isComplete: window.isEmpty) : proceed()
        }
        let (count, rows, selection) = list.withValue { list in
            var rows: [Int?] = []
            list.member("rows")?.forEachElement { rows.append($0.member("id")?.integer(as: Int.self)) }
            return (
                list.member("count")?.integer(as: Int.self), rows, list.member("selected")?.integer(as: Int.self)
            )
        }
        guard let count else { return broken("a list in \"look\" has \"count\" and \"rows\"", actual: list) }
        let moments = (rested...told).filter { number in
            let truth = self.list.versions[number]
            return truth.count == count && isSelected(selection, in: truth)
                && rows.enumerated().allSatisfy { offset, id in
                    let index = window.lowerBound + offset
                    return id == nil || (index < truth.count && truth[index] == id)
                }
        }
        guard let moment = moments.last, let earliest = moments.first else {
            let selection = selected.map { ", with the selected row \($0)" } ?? ""
            return broken(
                "what is shown was never the list, from \(rested) to \(told)\(selection)", actual: list)
        }
        guard isSettling else { return proceed() }
        if let sought,
            let place = window.clamped(to: 0..<self.list.rows.count).first(where: { self.list.rows[$0] == sought }),
            refusing == nil, selection != place
        {
            state = .pausing
            return [.pause]
        }
        let wanted = window.clamped(to: 0..<count).count
        return settle(
            at: earliest, isComplete: moment == told && rows.prefix(wanted).count { $0 != nil } == wanted)
    }

    mutating func settle(at moment: Int, isComplete: Bool) -> [PlayAction] {
        if let count = refusing {
            // Looks a few more times, for as long as a client may take to ask again.
            refusing = count < 5 ? count + 1 : nil
            if refusing == nil { return comeToRest() }
        }
        guard isComplete, refusing == nil, told == list.newest else {
            state = .pausing
            return [.pause]
        }
        isSettling = false
        // The earliest moment, since the client may be no further if the list looked the same then.
        (rested, sought) = (moment, nil)
        return select() ?? proceed()
    }

    /// Selects a random row of the window now and then, when all its rows are here.
    mutating func select() -> [PlayAction]? {
        let rows = window.clamped(to: 0..<list.rows.count)
        guard canSelect, !rows.isEmpty, random.chance(2) else { return nil }
        let index = rows.lowerBound + random.number(below: rows.count)
        selected = list.rows[index]
        return tell(#"{"do":"select","view":"a","list":"rows","index":\#(index)}"#)
    }

    /// Whether a selection is right for the list of one moment. For a row that was removed, any selection is.
    func isSelected(_ index: Int?, in rows: [Int]) -> Bool {
        guard let selected, let place = rows.firstIndex(of: selected) else { return true }
        return index == place
    }
}
