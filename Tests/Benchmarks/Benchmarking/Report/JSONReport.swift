import JSON

/// All figures for a program to read.
package struct JSONReport {
    private let machine: Machine
    private let sections: [Section]

    package init(machine: Machine, sections: [Section]) {
        self.machine = machine
        self.sections = sections
    }

    /// One line.
    package var text: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("machine")
        write(machine, &writer)
        writer.key("rows")
        writer.beginArray()
        for section in sections {
            for row in section.rows { write(row, section, &writer) }
        }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }

    private func write(_ machine: Machine, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("cores")
        writer.integer(machine.cores)
        writer.key("processor")
        writer.string(machine.processor)
        writer.key("kernel")
        writer.string(machine.kernel)
        writer.key("otherWork")
        number(machine.otherWork, &writer)
        writer.key("descriptors")
        writer.integer(machine.descriptors)
        writer.endObject()
    }

    private func write(_ row: Row, _ section: Section, _ writer: inout JSONWriter) {
        writer.beginObject()
        string("benchmark", row.benchmark, &writer)
        string("work", row.work, &writer)
        string("quantity", row.quantity.name, &writer)
        string("unit", row.quantity.unit.rawValue, &writer)
        switch row.state {
        case .failed(let reason): string("failed", reason, &writer)
        case .absent(let reason): string("absent", reason, &writer)
        case .measured(let figures, let reference):
            numbers("\(section.subject)Rounds", figures, &writer)
            numbers("\(section.reference)Rounds", reference, &writer)
        }
        let figures = [(section.subject, row.figure), (section.reference, row.reference), ("ratio", row.ratio)]
        for case (let name, let figure?) in figures {
            writer.key(name)
            number(figure, &writer)
        }
        if let target = row.target { string("target", target.text(row.quantity), &writer) }
        if let isMet = row.isMet {
            writer.key("met")
            writer.boolean(isMet)
        }
        writer.endObject()
    }

    private func string(_ name: String, _ value: String, _ writer: inout JSONWriter) {
        writer.key(name)
        writer.string(value)
    }

    private func numbers(_ name: String, _ figures: [Double], _ writer: inout JSONWriter) {
        writer.key(name)
        writer.beginArray()
        for figure in figures { number(figure, &writer) }
        writer.endArray()
    }

    private func number(_ value: Double, _ writer: inout JSONWriter) {
        do { try ValueEncoder().encode(value, into: &writer) } catch { writer.null() }
    }
}
