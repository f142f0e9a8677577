import SyncProtocol

extension BackendConformance {
  static let watchingLaws = [
    Law("a back end that declares to watch returns a stream") { context in
      try context.require(.watch, "watch")
      try context.expect(context.backend.changes(below: .root) != nil, "there is no stream of changes")
    },
    Law("a watcher is told of what another client does, however deep") { context in
      try context.require(.watch, "watch")
      let other = try await context.anotherClient()
      try await context.makeFolder("watched/old")
      try await context.makeFolder("watched/one/two/three")
      try await context.write([1], to: "watched/one/beside")
      try await context.write([1], to: "outside/file")
      try await context.write([1], to: "outside/folder/inner/file")
      // What is written as soon as the stream is there is told.
      guard let prompt = context.backend.changes(below: try context.path("watched/old")) else {
        throw context.skip("there is no stream of changes")
      }
      try await other.upload([1], to: context.path("watched/old/prompt"))
      let first = Watcher()
      await first.read(prompt)
      try context.expect(
        await first.isTold(within: context.patience),
        "nothing was told of a file that was written just after the stream was there")
      // Two streams of the client that watches, and one of another that watches, too: each is told.
      let third = try await context.anotherClient()
      let folder = try context.path("watched")
      let streams = [context.backend, context.backend, third].compactMap { $0.changes(below: folder) }
      guard streams.count == 3 else { throw context.skip("there is no stream of changes") }
      let watchers = streams.map { _ in Watcher() }
      for (watcher, stream) in zip(watchers, streams) { await watcher.read(stream) }
      let actions: [(String, () async throws -> Void)] = [
        ("a new file", { try await other.upload([1], to: context.path("watched/file")) }),
        ("a replaced file", { try await other.upload([2], to: context.path("watched/file")) }),
        ("a file in a folder", { try await other.upload([1], to: context.path("watched/old/file")) }),
        (
          "a file deep inside",
          { try await other.upload([1], to: context.path("watched/one/two/three/file")) }
        ),
        // Where folders come with their files, making one does nothing that could be told.
        (
          "a new folder",
          {
            guard context.keepsEmptyFolders else {
              return try await other.upload([1], to: context.path("watched/new/first"))
            }
            try await other.makeDirectory(context.path("watched/new"))
          }
        ),
        ("a file in a new folder", { try await other.upload([1], to: context.path("watched/new/file")) }),
        ("a removed file", { try await other.remove(context.path("watched/file")) }),
        (
          "a moved file",
          {
            let isMoved = try await context.moveIfPossible(
              "watched/old/file", to: "watched/old/moved", by: other)
            if !isMoved { try await other.remove(context.path("watched/old/file")) }
          }
        ),
        (
          "many files",
          {
            for number in 0..<20 {
              try await other.upload([1], to: context.path("watched/old/file-\(number)"))
            }
          }
        ),
        (
          "a file that was moved in", { try await context.bring("outside/file", to: "watched/in", by: other) }
        ),
        (
          "a file that was moved out",
          {
            let isMoved = try await context.moveIfPossible("watched/in", to: "outside/out", by: other)
            if !isMoved { try await other.remove(context.path("watched/in")) }
          }
        ),
        (
          "a folder that was moved in",
          {
            try await context.bring("outside/folder", to: "watched/folder", by: other, asFolder: true)
          }
        ),
        (
          "a file in a folder that was moved in",
          { try await other.upload([3], to: context.path("watched/folder/inner/file")) }
        ),
        ("a removed folder", { try await other.remove(context.path("watched/one/two")) }),
        ("a removed folder above others", { try await other.remove(context.path("watched/folder")) }),
        ("a file after many others", { try await other.upload([1], to: context.path("watched/last")) }),
      ]
      for (what, action) in actions {
        await withDiscardingTaskGroup { group in
          for watcher in watchers { group.addTask { await watcher.waitUntilQuiet() } }
        }
        try await action()
        for (number, watcher) in watchers.enumerated() {
          let isTold = await watcher.isTold(within: context.patience)
          try context.expect(isTold, "nothing was told of \(what) to stream \(number + 1) of 3")
        }
      }
    },
    Law("a watcher is told however many changes there are, one by one and at once") { context in
      try context.require(.watch, "watch")
      let other = try await context.anotherClient()
      try await context.write([1], to: "watched/file")
      guard let stream = context.backend.changes(below: try context.path("watched")) else {
        throw context.skip("there is no stream of changes")
      }
      let watcher = Watcher()
      await watcher.read(stream)
      // What is told late of one counts for the next, so a stream that stops after a few falls behind all the same.
      for number in 1...32 {
        await watcher.forget()
        try await other.upload(
          [UInt8](repeating: 1, count: number + 1), to: context.path("watched/file"))
        try context.expect(
          await watcher.isTold(within: context.patience), "nothing was told of change \(number) of one file")
      }
      await watcher.waitUntilQuiet()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<100 {
          let path = try context.path("watched/file-\(number)")
          group.addTask { try await other.upload([1], to: path) }
        }
        try await group.waitForAll()
      }
      try context.expect(
        await watcher.isTold(within: context.patience), "nothing was told of a hundred files at once")
      await watcher.waitUntilQuiet()
      try await other.upload([], to: context.path("watched/empty"))
      try context.expect(
        await watcher.isTold(within: context.patience),
        "nothing was told of an empty file, after a hundred others")
    },
    Law("a stream of changes that is given up leaves the others alone") { context in
      try context.require(.watch, "watch")
      let other = try await context.anotherClient()
      try await context.write([1], to: "watched/file")
      let folder = try context.path("watched")
      let kept = Watcher()
      guard let stream = context.backend.changes(below: folder) else {
        throw context.skip("there is no stream of changes")
      }
      await kept.read(stream)
      for _ in 0..<3 {
        guard let given = context.backend.changes(below: folder) else { continue }
        let reader = Task { for await _ in given {} }
        await Task.yield()
        reader.cancel()
        await reader.value
      }
      await kept.waitUntilQuiet()
      try await other.upload([2], to: context.path("watched/file"))
      let isTold = await kept.isTold(within: context.patience)
      try context.expect(isTold, "after other streams were given up, nothing was told of a file")
    },
  ]
}

extension LawContext {
  /// Moves an entry to where a watcher sees it, or writes it there where the back end does not move.
  fileprivate func bring(
    _ source: String, to destination: String, by other: any SyncBackend, asFolder: Bool = false
  ) async throws {
    if try await moveIfPossible(source, to: destination, by: other) { return }
    if asFolder { try await makeFolder("\(destination)/inner") }
    try await other.upload([1], to: path(asFolder ? "\(destination)/inner/file" : destination))
  }
}
