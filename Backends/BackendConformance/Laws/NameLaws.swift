import SyncProtocol

extension BackendConformance {
  static let nameLaws = [
    Law("every valid name can be written, listed and read") { context in
      let names = [
        "a", "0", "-", "_", "A-b_c.D", "x.tar.gz", "con", "a..b", "007", "1e3",
        "0123456789abcdef.0000000001.set",
        String(repeating: "n", count: RemoteName.byteLimit),
      ]
      for name in names { try await context.backend.upload(Array(name.utf8), to: context.path(name)) }
      let listed = try await context.names(in: "")
      try context.expectNames(listed, names, "listed")
      for name in names { try await context.expectContent(Array(name.utf8), at: name) }
    },
    Law("names of classic remotes can be written, listed and read, each form of a character for itself") {
      context in
      guard let classic = context.storage.connectToClassic else {
        throw context.skip("the suite was given no way to reach a classic remote")
      }
      let client = try await classic()
      let names = [
        "Shopping list", "na\u{EF}ve", "100%", "100%25", "a+b", "question?", "hash#", "~tilde",
        "\u{65E5}\u{8A18}", "re\u{301}sume\u{301}",
        "trailing.", "trailing ", " leading", "backup~", String(repeating: "n", count: 200),
        // Beyond sixteen bits; joined by a character of no width, which parts some words of Indian languages, too.
        "\u{1F600}", "\u{1F469}\u{200D}\u{1F467}", "\u{915}\u{94D}\u{200D}\u{937}",
      ]
      for name in names {
        let folder = try context.classicPath(name)
        try await client.makeDirectory(folder)
        try await client.upload(Array(name.utf8), to: context.classicPath("\(name)/\(name).syncchg"))
      }
      // The longest that there are: a temporary name must not be made of one by making it longer.
      for text in [String(repeating: "l", count: 250), String(repeating: "\u{65E5}", count: 85)] {
        let path = try context.classicPath("\(names[0])/\(text)")
        try await client.upload([1], to: path)
        let bytes = try await client.download(path, limit: 10)
        try context.expect(bytes == [1], "a file whose name has \(text.utf8.count) bytes holds \(bytes)")
        try await client.remove(path)
      }
      let listed = try await client.list(.root)
      try context.expectNames(listed.foreign, [], "reported as foreign")
      let found = listed.entries.map(\.name)
      try context.expectNames(found.map(\.description), names, "listed")
      for name in names {
        let path = try context.classicPath("\(name)/\(name).syncchg")
        let bytes = try await client.download(path, limit: 1_000)
        try context.expect(bytes == Array(name.utf8), "\(path) holds something else than was written")
      }
      // Storage may keep one form or both, but never takes what it holds for what it does not list.
      let other = try context.classicPath("nai\u{308}ve")
      let isListed = found.contains { $0 == other.name }
      let isPresent = try await context.isPresent(other, for: client)
      try context.expect(isListed == isPresent, "\(other) in another form is present and not listed")
    },
    Law("what other programs put into a folder is read, moved and removed under its own name") { context in
      guard let addForeign = context.storage.addForeign else {
        throw context.skip("the suite was given no way to add foreign files")
      }
      // Copies that replicators keep, and what stands for something else in addresses, patterns and shells.
      let common = [
        "file (Kim's conflicted copy 2026-01-02).set", "100%", "100%25", "a+b", "a b", "hash#", "semi;colon",
      ]
      let rare = [
        "question?", "and&is=", "[a]*", "na\u{EF}ve", "\u{65E5}\u{8A18}", "$HOME", "a<b", "a|b", "it's",
        "say \"it\"",
        " leading", "trailing ", "dots..", "a:b", "`a`", "%", "%00", "%2e%2e", "a\u{A0}b", "\u{1F600}",
        "a\u{202E}b",
        "a\u{200B}b", String(String(repeating: "(long) ", count: 29).prefix(200)),
        // The longest that there are.
        String(repeating: "(", count: 255), String(repeating: "\u{65E5}", count: 85),
      ]
      try await context.write([1], to: "folder/file")
      for name in common { try await addForeign(name, context.path("folder")) }
      var names = common
      // Not every file system takes these, whoever writes them.
      for name in rare where (try? await addForeign(name, context.path("folder"))) != nil {
        names.append(name)
      }
      // In case only, in the form of a character, and in a blank.
      for (name, other) in [
        ("Kim's copy", "KIM'S COPY"), ("re\u{301}sume\u{301}", "r\u{E9}sum\u{E9}"), ("an end", "an end "),
      ] { names += try await context.addForeignPair(name, other, to: "folder", addForeign) }
      let foreign = try await context.backend.list(context.path("folder")).foreign
      try context.expectNames(foreign, names, "told as foreign")
      for (number, name) in names.enumerated() {
        let path = try context.classicPath("folder/\(name)")
        let bytes = try await context.backend.download(path, limit: 1_000)
        try context.expect(
          bytes == Array(name.utf8),
          "“\(Differences.escaped(name))” holds “\(Differences.escaped(String(decoding: bytes, as: UTF8.self)))”, which is not its name"
        )
        let kind = try await context.backend.stat(path).kind
        try context.expect(kind == .file, "“\(name)” is examined as \(kind)")
        guard context.backend.capabilities.contains(.move) else {
          try await context.backend.remove(path)
          continue
        }
        let moved = "folder/moved-\(number)"
        try await context.backend.move(path, to: context.path(moved))
        try await context.expectContent(bytes, at: moved)
        try await addForeign(name, context.path("folder"))
        try await context.backend.remove(path)
        try await context.backend.remove(context.path(moved))
      }
      let listing = try await context.backend.list(context.path("folder"))
      try context.expectNames(
        listing.entries.map(\.name.description) + listing.foreign, ["file"], "what stays")
    },
    Law("long names can lie deep in long names") { context in
      let folder = Array(repeating: String(repeating: "f", count: 90), count: 5).joined(separator: "/")
      try await context.write([1], to: "\(folder)/file")
      try await context.expectContent([1], at: "\(folder)/file")
      let names = try await context.names(in: folder)
      try context.expect(names == ["file"], "listed \(names)")
    },
    Law("folders can lie in one another twelve deep") { context in
      let folder = (1...12).map { "level-\($0)" }.joined(separator: "/")
      try await context.write([1], to: "\(folder)/file")
      try await context.expectContent([1], at: "\(folder)/file")
      let names = try await context.names(in: folder)
      try context.expect(names == ["file"], "listed \(names)")
    },
    Law("an underscore or a dot in the name of what is read or examined stands for itself") { context in
      try await context.write([1], to: "xay")
      for name in ["x_y", "x.y"] {
        try await context.expectFailure(.notFound, of: "examining \(name) beside xay") {
          try await context.backend.stat(context.path(name))
        }
        try await context.expectFailure(.notFound, of: "reading \(name) beside xay") {
          try await context.backend.download(context.path(name), limit: 10)
        }
      }
    },
    Law("names that differ in case are two files, or one everywhere") { context in
      try await context.backend.upload([1], to: context.path("file"))
      let isOne = try await context.isPresent(context.path("FILE"))
      let content: [UInt8] = isOne ? [1] : [2]
      do {
        try await context.backend.createIfAbsent([2], at: context.path("FILE"))
        try context.expect(
          !isOne, "creating FILE beside file succeeded, though FILE could be examined before")
      } catch let error as BackendError where error.code == .alreadyExists {
        try context.expect(isOne, "FILE could not be created beside file, though it could not be examined")
      }
      try await context.expectContent([1], at: "file")
      try await context.expectContent(content, at: "FILE")
      let names = try await context.names(in: "")
      try context.expect(names == (isOne ? ["file"] : ["FILE", "file"]), "listed \(names)")
    },
  ]
}

extension LawContext {
  /// Adds two foreign files whose names are nearly the same, unless the storage takes them for one.
  ///
  /// - Returns: their names; nothing where they are one.
  fileprivate func addForeignPair(
    _ first: String, _ second: String, to folder: String,
    _ addForeign: @Sendable (String, RemotePath) async throws -> Void
  ) async throws -> [String] {
    try await addForeign(first, path(folder))
    // Storage may refuse the second, or write it into the first.
    try? await addForeign(second, path(folder))
    let pair = [first, second]
    // They are two if either a listing or reading tells them apart, for storage may mistake one for the other in one of these.
    let listed = Set(try await backend.list(path(folder)).foreign.map { Array($0.utf8) })
    if listed.isSuperset(of: pair.map { Array($0.utf8) }) { return pair }
    var read: [[UInt8]] = []
    for name in pair {
      read.append((try? await backend.download(classicPath("\(folder)/\(name)"), limit: 1_000)) ?? [])
    }
    if read == pair.map({ Array($0.utf8) }) { return pair }
    for name in pair { try? await backend.remove(classicPath("\(folder)/\(name)")) }
    return []
  }
}
