import SyncProtocol

extension BackendConformance {
  static let interruptionLaws = [
    Law("a listing that is cancelled in the middle comes back whole, or not at all", alsoOfPages: true) {
      context in
      let folder = try context.path("interrupted")
      try await context.fill("interrupted", context.sizes.entries)
      let count = Set(try await context.names(in: "interrupted")).count
      try await context.interrupting {
        { try await context.backend.list(folder) }
      } check: { result in
        if let listing = try context.completed(result, "listing") {
          let listed = Set(listing.entries.map(\.name)).count
          try context.expect(
            listed == count, "a cancelled listing came back with \(listed) of \(count) entries, as if whole")
        }
      }
    },
    Law("a move that is cancelled in the middle moves all of a folder, or nothing") { context in
      let count = min(context.sizes.entries, 100)
      var (source, destination) = (
        try context.path("interrupted-here"), try context.path("interrupted-there")
      )
      try await context.fill("\(source)", count)
      try await context.interrupting { [source, destination] in
        // A service may carry out a move after it was cancelled and both places were looked at.
        let way =
          try await context.isPresent(source) ? (source, destination) : (destination, source)
        return { try await context.backend.move(way.0, to: way.1) }
      } check: { result in
        if case .failure(let error as BackendError) = result, error.code == .unsupported {
          throw context.skip("the back end does not move folders")
        }
        // What a move that succeeded does is a law of its own.
        guard try context.completed(result, "move", or: .notFound, .alreadyExists) == nil else { return }
        var counts = (0, 0)
        try await context.patiently {
          counts = (
            try await context.remaining(in: "\(source)").count,
            try await context.remaining(in: "\(destination)").count
          )
          return counts == (count, 0) || counts == (0, count)
        } otherwise: {
          "a cancelled move of \(count) files left \(counts.0) at one place and \(counts.1) at the other"
        }
        if counts.0 == 0 { (source, destination) = (destination, source) }
        // The service may still carry the move out.
        try await context.patiently {
          for place in [source, destination] {
            let file = try context.path("\(place)/file-0")
            if let bytes = try? await context.backend.download(file, limit: 16), bytes == [1] { return true }
          }
          return false
        } otherwise: {
          "a file of a folder whose move was cancelled holds something else"
        }
      }
    },
    Law("a removal that is cancelled in the middle says so, and a repeated one completes it") { context in
      let count = min(context.sizes.entries, 100)
      var number = 0
      try await context.interrupting {
        // What a service still removes after the cancellation is nothing of the next folder.
        number += 1
        try await context.fill("interrupted-\(number)", count)
        let folder = try context.path("interrupted-\(number)")
        return { try await context.backend.remove(folder) }
      } check: { result in
        let folder = try context.path("interrupted-\(number)")
        let isDone = try context.completed(result, "removal") != nil
        try await context.patiently {
          // Whatever it says while a service is still at the first one: it is done when nothing is left.
          if !isDone { do { try await context.backend.remove(folder) } catch is BackendError {} }
          guard try await context.remaining(in: "\(folder)").isEmpty else { return false }
          return try await !context.isPresent(folder)
        } otherwise: {
          isDone
            ? "a cancelled removal said that it was done, and left a part of the folder"
            : "what a cancelled removal left was not removed by another"
        }
      }
    },
  ]
}

extension LawContext {
  /// Makes a request that does not say how far it is again and again, and cancels it later each time, until it succeeds.
  ///
  /// - Parameters:
  ///   - prepare: returns the request, and is called before each.
  ///   - check: called with what became of each.
  fileprivate func interrupting<Result: Sendable>(
    _ prepare: () async throws -> @Sendable () async throws -> Result,
    check: (Swift.Result<Result, any Error>) async throws -> Void
  ) async throws {
    var delay = Duration.microseconds(100)
    for _ in 0..<12 {
      let request = try await prepare()
      let (started, start) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        start.finish()
        return try await request()
      }
      for await _ in started {}
      try await Task.sleep(for: delay)
      task.cancel()
      let result = await task.result
      try await check(result)
      if case .success = result { return }
      delay *= 2
    }
  }

  /// What a cancelled request returned; `nil` if it failed as a cancelled one does.
  ///
  /// - Parameter others: errors that it may give besides.
  fileprivate func completed<Result>(
    _ result: Swift.Result<Result, any Error>, _ what: String, or others: BackendError.Code...
  ) throws -> Result? {
    do { return try result.get() } catch let error as BackendError {
      try expect(
        error.code == .cancelled || others.contains(error.code), "a cancelled \(what) gave \(error.code)")
      return nil
    }
  }
}
