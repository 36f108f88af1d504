import ViewModelServer

/// View models that end the process in the ways that Swift has for it.
actor CrashingViewModel: ViewModel {
    enum ViewEvent: Codable { case indexOutOfRange, unwrapLater, inGroup, overflowStack }
    enum ViewModelEvent: Codable { case nothing }

    let output = Output<ViewModelEvent>()
    private var numbers = [1, 2, 3]

    func handle(event: ViewEvent) async {
        switch event {
        case .indexOutOfRange: numbers[numbers.count] = 4
        case .unwrapLater: await unwrapLater(numbers.first { $0 > 3 })
        case .inGroup:
            await withTaskGroup { group in
                for number in numbers { group.addTask { divide(1, by: number - 3) } }
            }
        case .overflowStack: numbers = [depth(of: 0)]
        }
    }

    private func unwrapLater(_ number: Int?) async {
        try? await Task.sleep(for: .milliseconds(1))
        await unwrap(number)
    }

    private func unwrap(_ number: Int?) async {
        await Task.yield()
        // swift-format-ignore: NeverForceUnwrap
        numbers.append(number!)
    }
}

@inline(never) private func divide(_ number: Int, by other: Int) {
    print(number / other)
}

@inline(never) private func depth(of number: Int) -> Int {
    var numbers = [number, number + 1]
    if number >= 0 { numbers[0] = depth(of: number + 1) }
    return numbers[0] + numbers[1]
}

@MainActor final class MainCrashingViewModel: ViewModel {
    enum ViewEvent: Codable { case unwrap }
    enum ViewModelEvent: Codable { case nothing }

    let output = Output<ViewModelEvent>()
    private var number: Int?

    func handle(event: ViewEvent) {
        // swift-format-ignore: NeverForceUnwrap
        print(number!)
    }
}
