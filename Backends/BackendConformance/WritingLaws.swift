import SyncProtocol

extension BackendConformance {
  static let writingLaws = [
    Law("bytes come back as they were written, whatever their number") { context in
      for count in [0, 1, 2, 4095, 4096, 4097, 65_535, 65_536, 65_537, 1_000_003] {
        let bytes = LawContext.bytes(count, seed: UInt64(count))
        try await context.backend.upload(bytes, to: context.path("file-\(count)"))
        try await context.expectContent(bytes, at: "file-\(count)")
      }
    },
    Law("an upload replaces, whether the new content is longer, shorter or empty") { context in
      for count in [10, 100_000, 3, 0, 7] {
        let bytes = LawContext.bytes(count, seed: 1)
        try await context.backend.upload(bytes, to: context.path("file"))
        try await context.expectContent(bytes, at: "file")
      }
      let names = try await context.names(in: "")
      try context.expect(names == ["file"], "replacing left \(names)")
    },
    Law("a file is not written into a folder that does not exist") { context in
      let path = try context.path("absent/file")
      try await context.expectFailure(.notFound, of: "uploading into an absent folder") {
        try await context.backend.upload([1], to: path)
      }
      try await context.expectFailure(.notFound, of: "creating in an absent folder") {
        try await context.backend.createIfAbsent([1], at: path)
      }
      let names = try await context.names(in: "")
      try context.expect(names.isEmpty, "the refused upload left \(names)")
    },
    Law("create-if-absent never replaces") { context in
      let path = try context.path("file")
      try await context.backend.createIfAbsent([1], at: path)
      try await context.expectFailure(.alreadyExists, of: "creating a file twice") {
        try await context.backend.createIfAbsent([2], at: path)
      }
      try await context.expectContent([1], at: "file")
    },
    Law("every valid name can be written, listed and read") { context in
      let names = [
        "a", "0", "-", "_", "A-b_c.D", "x.tar.gz", "con", "a..b", "0123456789abcdef.0000000001.set",
        String(repeating: "n", count: RemoteName.byteLimit),
      ]
      for name in names { try await context.backend.upload(Array(name.utf8), to: context.path(name)) }
      let listed = try await context.names(in: "")
      try context.expect(listed == names.sorted(), "listed \(listed)")
      for name in names { try await context.expectContent(Array(name.utf8), at: name) }
    },
    Law("files of any size go from and to files of this device") { context in
      let scratch = try ScratchFolder()
      let bytes = LawContext.bytes(3_000_001, seed: 5)
      let source = scratch.file("source")
      let target = scratch.file("target")
      try scratch.write(bytes, to: source)
      try await context.backend.upload(file: source, to: context.path("large"))
      try await context.backend.download(context.path("large"), toFile: target)
      try context.expect(try scratch.read(target) == bytes, "a large file came back changed")
    },
    Law("a failed transfer leaves no file on either side") { context in
      let scratch = try ScratchFolder()
      try await context.expectFailure(.localFile, of: "uploading a local file that does not exist") {
        try await context.backend.upload(file: scratch.file("absent"), to: context.path("file"))
      }
      try await context.expectFailure(.notFound, of: "downloading an absent file") {
        try await context.backend.download(context.path("absent"), toFile: scratch.file("target"))
      }
      let names = try await context.names(in: "")
      try context.expect(names.isEmpty, "the failed upload left \(names)")
      try context.expect(scratch.isEmpty, "the failed download left a file")
    },
  ]
}
