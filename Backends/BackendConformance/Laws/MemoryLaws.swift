import SyncProtocol

extension BackendConformance {
  static let memoryLaws = [
    Law("an upload of a large file takes constant memory", measuresMemory: true) { context in
      let (scratch, file) = try context.largeFile()
      let path = try context.path("file")
      let growth = try await MemoryGrowth.least {
        try await context.backend.upload(file: file.path, to: path)
      }
      try context.expectLittle(growth, "uploading \(file.size) bytes")
      let created = try context.path("created")
      let growthOfCreation = try await MemoryGrowth.least {
        // Once more, if the least of several is asked for.
        if try await context.isPresent(created) { try await context.backend.remove(created) }
        try await context.backend.createIfAbsent(file: file.path, at: created)
      }
      try context.expectLittle(growthOfCreation, "creating a file of \(file.size) bytes")
      withExtendedLifetime(scratch) {}
    },
    Law("a download of a large file takes constant memory", measuresMemory: true) { context in
      let (scratch, file) = try context.largeFile()
      let path = try context.path("file")
      let target = scratch.file("target")
      try await context.backend.upload(file: file.path, to: path)
      let growth = try await MemoryGrowth.least {
        try await context.backend.download(path, toFile: target)
      }
      try context.expect(try file.matches(target), "a large file came back changed")
      try context.expectLittle(growth, "downloading \(file.size) bytes")
    },
    Law("a file that is larger than the limit is refused without being read", measuresMemory: true) {
      context in
      let (scratch, file) = try context.largeFile()
      let path = try context.path("file")
      try await context.backend.upload(file: file.path, to: path)
      let growth = try await MemoryGrowth.least {
        try await context.expectFailure(.tooLarge, of: "downloading \(file.size) bytes with a limit of 1,000")
        {
          try await context.backend.download(path, limit: 1_000)
        }
      }
      try context.expectLittle(growth, "refusing \(file.size) bytes")
      withExtendedLifetime(scratch) {}
    },
  ]
}

extension LawContext {
  fileprivate func largeFile() throws -> (ScratchFolder, LargeFile) {
    if storage.keepsContentInMemory {
      throw skip("the storage is the memory of this process, so there is nothing to measure")
    }
    let scratch = try ScratchFolder()
    let file = LargeFile(path: scratch.file("source"), size: sizes.largeFile, seed: 1)
    try file.write()
    return (scratch, file)
  }

  fileprivate func expectLittle(_ growth: Int, _ what: String) throws {
    try expect(growth <= MemoryGrowth.limit, "\(what) took \(growth >> 20) MiB of memory")
  }
}
