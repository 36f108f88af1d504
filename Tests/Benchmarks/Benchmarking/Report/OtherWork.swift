import Glibc

/// What the machine did besides since this was made: figures mean something on an idle one.
package struct OtherWork {
    private let start = Times()

    package init() {}

    /// The share of all cores' time that went to other programs, from 0 to 1. Children count once they have ended.
    package var share: Double {
        let end = Times()
        let all = end.all - start.all
        guard all > 0 else { return 0 }
        return min(1, max(0, ((end.busy - start.busy) - (end.own - start.own)) / all))
    }
}

/// In seconds, since some moment.
private struct Times {
    let all: Double
    let busy: Double
    /// This process's and its children's.
    let own: Double

    init() {
        // user, nice, system, idle, waiting for disks, …, of all cores.
        let line = TextFile.lines("/proc/stat").first
        let ticks = line?.split(separator: " ").dropFirst().compactMap { Double($0) } ?? []
        let perSecond = Double(sysconf(Int32(_SC_CLK_TCK)))
        all = ticks.reduce(0, +) / perSecond
        busy = all - ticks.dropFirst(3).prefix(2).reduce(0, +) / perSecond
        own = Times.used(RUSAGE_SELF) + Times.used(RUSAGE_CHILDREN)
    }

    private static func used(_ who: __rusage_who) -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(who.rawValue), &usage)
        let (user, system) = (usage.ru_utime, usage.ru_stime)
        return Double(user.tv_sec + system.tv_sec) + Double(user.tv_usec + system.tv_usec) / 1e6
    }
}
