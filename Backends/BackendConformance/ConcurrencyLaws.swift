import SyncProtocol

extension BackendConformance {
  static let concurrencyLaws = [
    Law("of many that create one name at once, at most one succeeds where that is promised") { context in
      guard context.backend.capabilities.contains(.honestCreateIfAbsent) else { return }
      let path = try context.path("file")
      for round in 0..<10 {
        let winners = await withTaskGroup { group in
          for writer in 0..<8 {
            group.addTask {
              let bytes = LawContext.bytes(1000, seed: UInt64(writer))
              return (try? await context.backend.createIfAbsent(bytes, at: path)).map { writer }
            }
          }
          return await group.reduce(into: []) { winners, winner in winner.map { winners.append($0) } }
        }
        try context.expect(winners.count == 1, "round \(round) had \(winners.count) winners")
        try await context.expectContent(LawContext.bytes(1000, seed: UInt64(winners[0])), at: "file")
        try await context.backend.remove(path)
      }
    },
    Law("a file that is listed while others write is complete where replacing is atomic") { context in
      guard context.backend.capabilities.contains(.atomicReplace) else { return }
      let sizes = [10_000, 300_000]
      let path = try context.path("file")
      let contents = sizes.map { LawContext.bytes($0, seed: UInt64($0)) }
      try await context.backend.upload(contents[0], to: path)
      try await withThrowingTaskGroup { group in
        group.addTask {
          for round in 0..<40 { try await context.backend.upload(contents[round % 2], to: path) }
        }
        group.addTask {
          for _ in 0..<40 {
            let listing = try await context.backend.list(.root)
            try context.expect(
              listing.entries.count == 1 && listing.foreign.isEmpty, "a reader saw \(listing)")
            let found = try await context.backend.download(path, limit: 1_000_000)
            try context.expect(contents.contains(found), "a reader saw \(found.count) bytes of a mixture")
          }
        }
        try await group.waitForAll()
      }
    },
    Law("many tasks write different files at once") { context in
      try await context.backend.makeDirectory(context.path("folder"))
      try await withThrowingTaskGroup { group in
        for number in 0..<40 {
          group.addTask {
            try await context.backend.upload(
              LawContext.bytes(number * 100, seed: UInt64(number)), to: context.path("folder/\(number)"))
          }
        }
        try await group.waitForAll()
      }
      for number in 0..<40 {
        try await context.expectContent(
          LawContext.bytes(number * 100, seed: UInt64(number)), at: "folder/\(number)")
      }
    },
    Law("several tasks make the same folders at once") { context in
      try await withThrowingTaskGroup { group in
        for _ in 0..<8 {
          group.addTask { try await context.backend.makeDirectory(context.path("a/b/c/d")) }
        }
        try await group.waitForAll()
      }
      let names = try await context.names(in: "a/b/c")
      try context.expect(names == ["d"], "found \(names)")
    },
    Law("a cancelled task writes nothing and says so") { context in
      let cancelled = Task {
        while !Task.isCancelled { await Task.yield() }
        try await context.expectFailure(.cancelled, of: "uploading in a cancelled task") {
          try await context.backend.upload([1], to: context.path("file"))
        }
        try await context.expectFailure(.cancelled, of: "listing in a cancelled task") {
          try await context.backend.list(.root)
        }
      }
      cancelled.cancel()
      try await cancelled.value
      let names = try await context.names(in: "")
      try context.expect(names.isEmpty, "a cancelled upload left \(names)")
    },
  ]
}
