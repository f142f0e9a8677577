import SyncProtocol

extension BackendConformance {
  static let contentLaws = [
    Law("a file of mebibytes that is replaced by a shorter one keeps nothing of its end") { context in
      let scratch = try ScratchFolder()
      let path = try context.path("file")
      // Storage that keeps pieces by number must forget those that the new content has not.
      let sizes = [5 << 20, 2 << 20 + 5]
      for (seed, size) in sizes.enumerated() {
        let file = LargeFile(path: scratch.file("source"), size: size, seed: UInt8(seed))
        try file.write()
        try await context.backend.upload(file: file.path, to: path)
      }
      try await context.backend.download(path, toFile: scratch.file("target"))
      let count = try scratch.read(scratch.file("target")).count
      try context.expect(
        count <= sizes[1], "a file of \(sizes[0]) bytes that was replaced by \(sizes[1]) has \(count)")
    },
    Law("two files of one size that begin alike are two") { context in
      let scratch = try ScratchFolder()
      var bytes = LawContext.bytes(300_000, seed: 1)
      var contents: [[UInt8]] = []
      for number in 0..<3 {
        bytes[bytes.count - 1] &+= 1
        contents.append(bytes)
        let path = try context.path("file-\(number)")
        if number == 2 {
          try scratch.write(bytes, to: scratch.file("source"))
          try await context.backend.upload(file: scratch.file("source"), to: path)
        } else {
          try await context.backend.upload(bytes, to: path)
        }
      }
      for (number, content) in contents.enumerated() {
        try await context.expectContent(content, at: "file-\(number)")
      }
    },
    Law("an empty file takes its name: nothing is created or moved there") { context in
      let scratch = try ScratchFolder()
      try scratch.write([2], to: scratch.file("source"))
      let path = try context.path("empty")
      try await context.backend.upload([], to: path)
      try await context.expectFailure(.alreadyExists, of: "creating a file where an empty one is") {
        try await context.backend.createIfAbsent([1], at: path)
      }
      try await context.expectFailure(.alreadyExists, of: "creating from a file where an empty one is") {
        try await context.backend.createIfAbsent(file: scratch.file("source"), at: path)
      }
      try await context.expectContent([], at: "empty")
      try await context.backend.upload([3], to: context.path("other"))
      do {
        try await context.backend.move(context.path("other"), to: path)
      } catch let error as BackendError {
        try context.expect(
          [.alreadyExists, .unsupported].contains(error.code), "moving onto an empty file gave \(error.code)")
        try await context.expectContent([], at: "empty")
        return try await context.expectContent([3], at: "other")
      }
      throw ConformanceFailure(description: "moving onto an empty file succeeded, expected alreadyExists")
    },
  ]
}
