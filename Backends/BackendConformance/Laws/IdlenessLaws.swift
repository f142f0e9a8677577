import SyncProtocol

// Streams of changes outlive spells in which nothing changes, and other streams.
extension BackendConformance {
  static let idlenessLaws = [
    Law("a watcher is told of what comes after a spell in which nothing changed") { context in
      try context.require(.watch, "watch")
      let (other, third) = (try await context.anotherClient(), try await context.anotherClient())
      try await context.write([1], to: "watched/inner/file")
      let told = try await context.watcher(of: "watched")
      try await other.upload([2, 2], to: context.path("watched/inner/file"))
      try context.expect(
        await told.isTold(within: context.patience), "nothing was told of a file before anything else")
      await told.waitUntilQuiet()
      let watchers = [
        ("that had told something", told),
        ("of another client that had told nothing yet", try await context.watcher(of: "watched", for: third)),
        ("below the root", try await context.watcher(of: "")),
      ]
      for spell in 1...2 {
        try await context.leaveAlone(for: context.sizes.idleness)
        // More than one, for the first may be what wakes storage up.
        for name in ["inner/file", "inner/new-\(spell)", "new-\(spell)"] {
          for (_, watcher) in watchers { await watcher.waitUntilQuiet() }
          try await other.upload(
            [UInt8](repeating: 3, count: 2 + spell), to: context.path("watched/\(name)"))
          for (which, watcher) in watchers where await !watcher.isTold(within: context.patience) {
            let how = await watcher.isEnded ? "had ended" : "told nothing of “\(name)”"
            throw ConformanceFailure(
              description:
                "after nothing had changed for \(context.sizes.idleness), for the time number \(spell), a stream \(which) \(how)"
            )
          }
        }
      }
    },
    Law("a watcher is told whatever streams were given up before and beside it") { context in
      try context.require(.watch, "watch")
      let other = try await context.anotherClient()
      try await context.write([1], to: "watched/file")
      var size = 1
      func expectTold(_ watcher: Watcher, _ after: String) async throws {
        await watcher.waitUntilQuiet()
        // Another content each time, for the same is no change.
        size += 1
        try await other.upload([UInt8](repeating: 2, count: size), to: context.path("watched/file"))
        try context.expect(
          await watcher.isTold(within: context.patience), "after \(after), a stream told nothing of a file")
      }
      for number in 0..<3 {
        let watcher = try await context.watcher(of: "watched")
        try await expectTold(watcher, "\(number) others had been given up")
        await watcher.giveUp()
      }
      let older = try await context.watcher(of: "watched")
      let younger = try await context.watcher(of: "watched")
      await older.giveUp()
      try await expectTold(younger, "an older one of the same folder had been given up")
      // Nobody has read it.
      _ = context.backend.changes(below: try context.path("watched"))
      try await expectTold(younger, "one that was never read had been given up")
      let above = try await context.watcher(of: "")
      let inside = try await context.watcher(of: "watched")
      await above.giveUp()
      try await expectTold(inside, "one of the folder above had been given up")
      try await expectTold(younger, "one of the folder above had been given up")
    },
  ]
}
