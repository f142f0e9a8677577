import SyncProtocol

// Names that storage, or what lies between, may take for something else than the name of one file.
extension BackendConformance {
  static let lookalikeLaws = [
    Law("names that look like those of temporary files, placeholders and devices are names like others") {
      context in
      let names = """
        file file.tmp file.temp file.part file.partial file.crdownload file.icloud file.lock file.bak file.swp file.orig
        file.lnk file.1 file-1 file_1 file.html file.php file.cgi tmp temp.file ticds-0123456789abcdef.part
        ticds-0123456789abcdef.tmp upload upload-1 upload_1 upload.1 uploads-0123456789abcdef uploading-1 upload-file download-1 tmp-1
        tmp_1 tmp.1 temp-1 temp_1 part-1 partial-1 pending-1 new-1 old-1 staging-1 write-1 put-1 lock-1 lock chunk-1 blob-1 trash
        deleted-1 nul aux.set LPT1 desktop.ini Thumbs.db web.config 20 2520
        """.split(whereSeparator: \.isWhitespace).map(String.init)
      try await context.makeFolder("folder")
      for name in names {
        try await context.backend.upload(Array(name.utf8), to: context.path("folder/\(name)"))
      }
      let listing = try await context.backend.list(context.path("folder"))
      let listed = listing.entries.map(\.name.description).sorted()
      try context.expect(
        listed == names.sorted(),
        "of \(names.count) names, not listed are \(Set(names).subtracting(listed).sorted()), listed \(Set(listed).subtracting(names).sorted())"
      )
      try context.expect(listing.foreign.isEmpty, "reported as foreign are \(listing.foreign)")
      for name in names { try await context.expectContent(Array(name.utf8), at: "folder/\(name)") }
    },
    Law("a file with the name of a web page hides neither its folder nor what lies beside it") {
      context in
      let names = ["index.html", "index.htm", "index.php", "default.aspx", "file"]
      try await context.makeFolder("folder")
      for name in names {
        try await context.backend.upload(Array(name.utf8), to: context.path("folder/\(name)"))
      }
      let listed = try await context.names(in: "folder")
      try context.expect(listed == names.sorted(), "of \(names), listed are \(listed)")
      for name in names { try await context.expectContent(Array(name.utf8), at: "folder/\(name)") }
      try await context.backend.remove(context.path("folder"))
      let isThere = try await context.isPresent(context.path("folder"))
      try context.expect(!isThere, "a folder that was removed with “index.html” in it is still there")
    },
    Law("a name that looks like a conflict copy is listed or foreign, and never taken for its original") {
      context in
      let copies = [
        "file.sync-conflict-20240131-093612-ABCDEFG.set", "file_conflict-20240131-093612.set",
        "file.Conflict.set", "file-LAPTOP.set", "file-1.set", "file_2.set", "file.set.orig",
      ]
      try await context.write([1], to: "folder/file.set")
      for (number, name) in copies.enumerated() {
        try await context.backend.createIfAbsent([2, UInt8(number)], at: context.path("folder/\(name)"))
      }
      let listing = try await context.backend.list(context.path("folder"))
      let listed = (listing.entries.map(\.name.description) + listing.foreign).sorted()
      try context.expect(
        listed == (copies + ["file.set"]).sorted(),
        "of “file.set” and \(copies), listed or foreign are \(listed)")
      try context.expect(
        listing.entries.contains { $0.name.description == "file.set" },
        "“file.set” is not ours beside its copies")
      try await context.expectUntouched(
        [1], at: "folder/file.set", by: "writing what looks like copies of it")
      for (number, name) in copies.enumerated() {
        try await context.expectContent([2, UInt8(number)], at: "folder/\(name)")
      }
      try await context.backend.remove(context.path("folder/file.set"))
      try await context.expectFailure(
        .notFound, of: "reading a removed file beside what looks like its copies"
      ) {
        try await context.backend.download(context.path("folder/file.set"), limit: 10)
      }
      try await context.expectContent([2, 0], at: "folder/\(copies[0])")
    },
    Law("names of classic remotes that differ in an escape or a sign are stored apart") { context in
      for (name, other) in [
        ("a b", "a%20b"), ("a b", "a+b"), ("a+b", "a%2Bb"), ("a&b", "a&amp;b"), ("a;b", "a"),
        ("a;b", "a%3Bb"),
        ("a?b", "a"), ("a#b", "a"), ("a%", "a%25"), ("a%2Fb", "a_b"), ("a=b", "a%3Db"), ("a'b", "a''b"),
        ("a~1", "a"), ("a:b", "a"), ("a*", "ab"), ("[a]", "a"), ("a b", "a  b"), ("a\u{A0}b", "a b"),
      ] {
        let pair = try await ClassicPair(context, name, other)
        guard try await pair.writes() else { continue }
        throw ConformanceFailure(description: "“\(other)” is taken for “\(name)”, which is another name")
      }
    },
    Law("names of classic remotes that look alike are two files, or one everywhere") { context in
      for (name, other) in [
        ("na\u{EF}ve", "nai\u{308}ve"), ("\u{212B}", "\u{C5}"), ("\u{1E9B}\u{323}", "\u{1E9B}\u{0323} "),
        ("\u{FB01}n", "fin"), ("stra\u{DF}e", "strasse"), ("\u{130}", "i\u{307}"), ("Anna", "ANNA"),
        ("\u{C4}nderung", "\u{E4}nderung"), ("end", "end."), ("end", "end "), ("a\u{200B}b", "ab"),
        ("a%2Fb", "a%2fb"),
      ] {
        _ = try await ClassicPair(context, name, other).writes()
      }
    },
  ]
}

/// Two names in a folder of their own, which a classic remote may take for one or not.
private struct ClassicPair {
  private let context: LawContext
  private let client: any SyncBackend
  private let folder: RemotePath
  private let name: RemotePath
  private let other: RemotePath

  init(_ context: LawContext, _ name: String, _ other: String) async throws {
    guard let classic = context.storage.connectToClassic else {
      throw context.skip("the suite was given no way to reach a classic remote")
    }
    self.context = context
    client = try await classic()
    let text = "pair-" + (name + "/" + other).utf8.map { String($0, radix: 16) }.joined()
    folder = try context.path(String(text.prefix(90)))
    self.name = try context.classicPath("\(folder)/\(name)")
    self.other = try context.classicPath("\(folder)/\(other)")
  }

  /// Writes both.
  ///
  /// - Returns: whether they are one.
  /// - Throws: ``ConformanceFailure`` if they are one to some requests and two to others.
  func writes() async throws -> Bool {
    try await client.makeDirectory(folder)
    try await client.upload([1], to: name)
    let isOne = try await context.isPresent(other, for: client)
    do {
      try await client.createIfAbsent([2], at: other)
      try context.expect(
        !isOne, "“\(other)” was created beside “\(name)”, though it could be examined before")
    } catch let error as BackendError where error.code == .alreadyExists {
      try context.expect(
        isOne, "“\(other)” could not be created beside “\(name)”, though it could not be examined")
    }
    let names = isOne ? [name] : [name, other]
    let listing = try await client.list(folder)
    try context.expect(
      listing.entries.map(\.name).sorted() == names.compactMap(\.name).sorted() && listing.foreign.isEmpty,
      "“\(name)” and “\(other)” are \(isOne ? "one" : "two"), and listed are \(Self.bytes(of: listing))")
    for (path, bytes) in [(name, [1]), (other, isOne ? [1] : [2])] as [(RemotePath, [UInt8])] {
      let found = try await client.download(path, limit: 10)
      try context.expect(found == bytes, "“\(path)” holds \(found) beside “\(name)” and “\(other)”")
    }
    try await client.remove(other)
    try await context.expect(
      context.isPresent(name, for: client) == !isOne,
      "removing “\(other)” \(isOne ? "left" : "removed") “\(name)”")
    return isOne
  }

  /// What can be told apart where names look alike.
  private static func bytes(of listing: RemoteListing) -> [String] {
    (listing.entries.map(\.name.description) + listing.foreign).map { name in
      name.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    }
  }
}
