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
    Law("bytes come back as they were written, whatever they look like") { context in
      for (number, (look, bytes)) in LawContext.lookalikes.enumerated() {
        let path = try context.path("file-\(number)")
        try await context.backend.upload(bytes, to: path)
        let found = try await context.backend.download(path, limit: 1_000)
        try context.expect(found == bytes, "\(look) was written as \(bytes) and read as \(found)")
      }
    },
    Law("an upload replaces, whether the new content is longer, shorter or empty") { context in
      // Content that storage keeps once for several files is not the one file's alone.
      let twin = LawContext.bytes(1_000, seed: 1)
      try await context.backend.upload(twin, to: context.path("twin"))
      for count in [1_000, 10, 100_000, 3, 0, 7] {
        let bytes = LawContext.bytes(count, seed: 1)
        try await context.backend.upload(bytes, to: context.path("file"))
        try await context.expectContent(bytes, at: "file")
        try await context.expectUntouched(twin, at: "twin", by: "replacing “file”, which held the same")
      }
      let names = try await context.names(in: "")
      try context.expect(names == ["file", "twin"], "replacing left \(names)")
    },
    Law("where folders come with their files, a file makes the folders that it needs") { context in
      try context.require(.implicitFolders, "implicitFolders")
      try await context.backend.upload([1], to: context.path("a/b/uploaded"))
      try await context.backend.createIfAbsent([2], at: context.path("c/d/created"))
      let names = [
        try await context.names(in: ""), try await context.names(in: "a"), try await context.names(in: "c/d"),
      ]
      try context.expect(names == [["a", "c"], ["b"], ["created"]], "found \(names)")
      try await context.backend.remove(context.path("a/b/uploaded"))
      let left = try await context.names(in: "")
      try context.expect(left == ["c"], "after the last file of a folder was removed, there is \(left)")
    },
    Law("a file is not written into a folder that does not exist") { context in
      try context.requireEmptyFolders()
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
  ]
}

extension LawContext {
  /// Content that a layer below may take for something else than bytes: packed, text, or ended.
  fileprivate static let lookalikes: [(look: String, bytes: [UInt8])] = [
    ("a whole gzip file", gzipped),
    ("the head of a gzip file", [0x1f, 0x8b, 8, 0]),
    ("text after a byte order mark", [0xef, 0xbb, 0xbf, 0x61]),
    ("UTF-16 text after a byte order mark", [0xff, 0xfe, 0x61, 0]),
    ("text with line ends of all kinds", Array("a\r\nb\nc\rd\r\n".utf8)),
    ("text that ends in ^Z", [0x61, 0x1a]),
    ("content that ends in NULs", [0x61, 0, 0, 0]),
    ("NULs alone", [0, 0]),
    ("white space alone", Array(" \n".utf8)),
  ]

  /// The letter a, stored in a gzip file (RFC 1952) without being made smaller.
  private static let gzipped: [UInt8] = [
    0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1, 1, 0, 0xfe, 0xff, 0x61, 0x43, 0xbe, 0xb7, 0xe8, 1, 0, 0, 0,
  ]
}
