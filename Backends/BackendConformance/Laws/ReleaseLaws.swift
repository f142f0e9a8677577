import Locking
import SyncProtocol

// What a request that was cancelled had taken hold of.
extension BackendConformance {
  static let releaseLaws = [
    Law("after a cancelled download its file can be replaced and its folder removed, by any client") {
      context in
      let scratch = try ScratchFolder()
      let file = LargeFile(path: scratch.file("source"), size: context.sizes.heldFile, seed: 1)
      try file.write()
      let other = try await context.anotherClient()
      let folders = ["one", "two"]
      for folder in folders {
        try await context.makeFolder(folder)
        let path = try context.path("\(folder)/file")
        try await context.backend.upload(file: file.path, to: path)
        _ = try await context.holding { progress in
          try await context.backend.download(path, toFile: scratch.file("target"), progress: progress)
        } middle: { task in
          task.cancel()
        }
      }
      let path = try context.path("one/file")
      for (which, client) in [("another", other), ("the same", context.backend)] {
        try await context.succeeding("a file could not be replaced by \(which) client") {
          try await client.upload([1], to: path)
        }
      }
      for (folder, which, client) in [
        (folders[0], "the same", context.backend), (folders[1], "another", other),
      ] {
        try await context.succeeding("a folder could not be removed by \(which) client") {
          try await client.remove(context.path(folder))
        }
      }
    },
    Law("cancelled downloads leave no file open") { context in
      let scratch = try ScratchFolder()
      let file = LargeFile(path: scratch.file("source"), size: context.sizes.heldFile, seed: 1)
      try file.write()
      let path = try context.path("file")
      try await context.backend.upload(file: file.path, to: path)
      let isCancelled = Locked(false)
      let count = 12
      let limit = count * 3 / 4
      let left = try await OpenFiles.left(limit: limit, patience: min(context.patience, .seconds(5))) {
        for _ in 0..<count {
          let underWay = Locked<Task<Void, any Error>?>(nil)
          let download = Task {
            try await context.backend.download(path, toFile: scratch.file("target")) { bytes in
              guard bytes < file.size else { return }
              underWay.withLock { $0 }?.cancel()
            }
          }
          underWay.withLock { $0 = download }
          if case .failure = await download.result { isCancelled.withLock { $0 = true } }
        }
      }
      guard let left else { throw context.skip("how many files are open cannot be counted on this system") }
      try context.expect(left < limit, "\(count) cancelled downloads left \(left) more files open")
      if !isCancelled.withLock({ $0 }) { throw context.skip("no download noticed that it was cancelled") }
    },
  ]
}

extension LawContext {
  /// Asks again while it is refused, for services may notice late that a request was cancelled.
  fileprivate func succeeding(_ otherwise: String, _ request: () async throws -> Void) async throws {
    let start = ContinuousClock.now
    while true {
      do { return try await request() } catch let error as BackendError {
        try expect(
          ContinuousClock.now - start < patience,
          "after a download that was cancelled, \(otherwise): \(error)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
