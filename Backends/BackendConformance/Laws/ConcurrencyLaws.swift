import Locking
import SyncProtocol

extension BackendConformance {
  static let concurrencyLaws = [
    Law("of many clients that create one name at once, exactly one succeeds where that is promised") {
      context in
      try context.require(.honestCreateIfAbsent, "honestCreateIfAbsent")
      let clients = try await context.clients(8)
      let scratch = try ScratchFolder()
      for number in clients.indices {
        try scratch.write(LawContext.bytes(1000, seed: UInt64(number)), to: scratch.file("source-\(number)"))
      }
      try await context.forManyRounds { round in
        let path = try context.path("file-\(round)")
        let winners = await withTaskGroup { group in
          for (number, client) in clients.enumerated() {
            group.addTask {
              let source = scratch.file("source-\(number)")
              let bytes = LawContext.bytes(1000, seed: UInt64(number))
              // In every second round from files, and in every third both ways.
              let isFromFile = round % 2 == 1 || round % 3 == 2 && number % 2 == 1
              let creation: Void? =
                isFromFile
                ? try? await client.createIfAbsent(file: source, at: path)
                : try? await client.createIfAbsent(bytes, at: path)
              return creation.map { number }
            }
          }
          return await group.reduce(into: []) { winners, winner in winner.map { winners.append($0) } }
        }
        try context.expect(winners.count == 1, "round \(round) had \(winners.count) winners")
        try await context.expectContent(
          LawContext.bytes(1000, seed: UInt64(winners[0])), at: path.description)
      }
    },
    Law("a small file that is listed while others write is complete where replacing is atomic") { context in
      try context.require(.atomicReplace, "atomicReplace")
      let path = try context.path("file")
      let contents = [10_000, 300_000].map { LawContext.bytes($0, seed: UInt64($0)) }
      let scratch = try ScratchFolder()
      for (number, content) in contents.enumerated() {
        try scratch.write(content, to: scratch.file("source-\(number)"))
      }
      let readers = [try await context.anotherClient(), try await context.anotherClient()]
      try await context.backend.upload(contents[0], to: path)
      // What a reader may run into is short, so it is read until the last write has ended, and written until it was read often.
      let progress = Locked((reads: 0, isWritten: false))
      try await withThrowingTaskGroup { group in
        group.addTask {
          defer { progress.withLock { $0.isWritten = true } }
          var round = 0
          while round < 40 || round < 400 && progress.withLock({ $0.reads < 100 }) {
            round += 1
            // By turns from memory and from a file.
            if round / 2 % 2 == 0 {
              try await context.backend.upload(contents[round % 2], to: path)
            } else {
              try await context.backend.upload(file: scratch.file("source-\(round % 2)"), to: path)
            }
            await Task.yield()
          }
        }
        for reader in readers {
          group.addTask {
            // Another reader may have found something, and the writer may wait for whoever reads no more.
            while progress.withLock({ !$0.isWritten }), !Task.isCancelled {
              let listing = try await reader.list(.root)
              try context.expect(
                listing.entries.count == 1 && listing.foreign.isEmpty, "a reader saw \(listing)")
              let found = try await reader.download(path, limit: 1_000_000)
              try context.expect(
                contents.contains { LawContext.areSame($0, found) },
                "a reader saw \(found.count) bytes of a mixture")
              progress.withLock { $0.reads += 1 }
              // A client that answers at once would keep its thread, and the writer would get none.
              await Task.yield()
            }
          }
        }
        try await group.waitForAll()
      }
    },
    Law("of several that replace one file at once, the whole content of one stays") { context in
      try context.require(.atomicReplace, "atomicReplace")
      let path = try context.path("file")
      let contents = (0..<4).map { LawContext.bytes(20_000 + $0 * 1_000, seed: UInt64($0)) }
      for _ in 0..<5 {
        try await withThrowingTaskGroup { group in
          for (client, content) in zip(try await context.clients(4), contents) {
            group.addTask { try await client.upload(content, to: path) }
          }
          try await group.waitForAll()
        }
        let found = try await context.backend.download(path, limit: 1_000_000)
        try context.expect(contents.contains(found), "what stayed are \(found.count) bytes of a mixture")
      }
    },
    Law("many tasks write different files at once") { context in
      try await context.makeFolder("folder")
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
    Law("a write that meets the making of its folder finds it missing, or is done") { context in
      let clients = try await context.clients(8)
      for round in 0..<5 {
        let name = "folder-\(round)"
        let folder = try context.path(name)
        let (misses, missed) = AsyncStream.makeStream(of: Void.self)
        defer { missed.finish() }
        // Begins when the first has missed the folder, while the others are still writing.
        let making = Task {
          for await _ in misses { return try await clients[0].makeDirectory(folder) }
        }
        try await withThrowingTaskGroup { group in
          for (number, client) in clients.dropFirst().enumerated() {
            let file = try context.path("\(name)/file-\(number)")
            group.addTask {
              do throws(BackendError) { return try await client.upload([UInt8(number)], to: file) } catch {
                guard error.code == .notFound else { throw error }
              }
              missed.yield()
              try await making.value
              try await client.upload([UInt8(number)], to: file)
            }
          }
          try await group.waitForAll()
        }
        let names = try await context.names(in: name)
        try context.expect(names.count == clients.count - 1, "found \(names)")
      }
    },
    Law("several clients make the same folders at once") { context in
      for folder in ["a", "a/b", "a/b/c"] {
        let path = try context.path(folder)
        try await withThrowingTaskGroup { group in
          for client in try await context.clients(8) {
            group.addTask { try await client.makeDirectory(path) }
          }
          try await group.waitForAll()
        }
      }
      try await context.backend.upload([1], to: context.path("a/b/c/file"))
      let names = try await context.names(in: "a/b")
      try context.expect(names == ["c"], "found \(names)")
    },
  ]
}

extension LawContext {
  /// Does something that may go wrong in an unlucky moment at least ten times, and more often for as long as it is quick.
  func forManyRounds(_ body: (_ round: Int) async throws -> Void) async throws {
    let start = ContinuousClock.now
    for round in 0..<200 where round < 10 || ContinuousClock.now - start < .milliseconds(400) {
      try await body(round)
    }
  }

  func clients(_ count: Int) async throws -> [any SyncBackend] {
    var clients = [backend]
    while clients.count < count { clients.append(try await anotherClient()) }
    return clients
  }
}
