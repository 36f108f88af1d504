/// Whom to tell of an event. Nearly always one view or none, for which it takes no memory of its own.
struct NewsList: Sequence {
    private var first: SessionState.News?
    private var others: [SessionState.News] = []

    mutating func append(_ news: SessionState.News) {
        if first == nil { first = news } else { others.append(news) }
    }

    var count: Int { (first == nil ? 0 : 1) + others.count }

    func tell() {
        first?.tell()
        for news in others { news.tell() }
    }

    func makeIterator() -> Array<SessionState.News>.Iterator {
        ((first.map { [$0] } ?? []) + others).makeIterator()
    }
}
