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
        ("a file after many others", { try await other.upload([1], to: context.path("watched/last")) }),
      ]
      for (what, action) in actions {
        for watcher in watchers { await watcher.waitUntilQuiet() }
        try await action()
        for (number, watcher) in watchers.enumerated() {
          let isTold = await watcher.isTold(within: context.patience)
          try context.expect(isTold, "nothing was told of \(what) to stream \(number + 1) of 3")
        }
      }
    },
  ]
}
