import SyncProtocol

// Names that other programs give and that listings, addresses and messages are not made for.
extension BackendConformance {
  static let foreignNameLaws = [
    Law("a foreign name that no path can hold is told as it is, or not at all", alsoOfPages: true) {
      context in
      let ours = AwkwardNames.ours
      for name in ours { try await context.write(Array(name.utf8), to: "folder/\(name)") }
      let planted = try await context.addForeign(AwkwardNames.all, to: "folder")
      let spoken = planted.filter { RemoteName($0, .classic) != nil }
      for client in [context.backend, try await context.anotherClient()] {
        let listing: RemoteListing
        do { listing = try await client.list(context.path("folder")) } catch {
          throw ConformanceFailure(
            description: "beside \(Differences.words(planted)), the folder cannot be listed: \(error)")
        }
        try context.expectNames(listing.entries.map(\.name.description), ours, "listed as ours")
        let told = listing.foreign.filter { RemoteName($0, .classic) != nil }
        try context.expectNames(told, spoken, "of foreign names that paths can hold, told")
        let strange = Differences.surplus(of: listing.foreign, over: planted)
        try context.expect(
          strange.isEmpty,
          "of the foreign names \(Differences.words(planted)), told is \(Differences.words(strange))")
      }
      // What is told leads to its file, and what is like it in another form was not written in its place.
      for name in ours + spoken { try await context.expectOwnName(of: "folder", name) }
    },
    Law("a folder is moved and removed with foreign files of any name in it") { context in
      try await context.write([1], to: "folder/inner/file")
      var planted: [String] = []
      for place in ["folder", "folder/inner"] {
        planted = try await context.addForeign(AwkwardNames.all, to: place)
      }
      var folder = "folder"
      if try await context.moveIfPossible("folder", to: "moved") {
        folder = "moved"
        let isLeft = try await context.isPresent(context.path("folder"))
        try context.expect(
          !isLeft, "a folder that was moved with \(Differences.words(planted)) in it is still there")
        for name in planted where RemoteName(name, .classic) != nil {
          for place in ["moved", "moved/inner"] { try await context.expectOwnName(of: place, name) }
        }
      }
      do { try await context.backend.remove(context.path(folder)) } catch {
        throw ConformanceFailure(
          description: "a folder with \(Differences.words(planted)) in it could not be removed: \(error)")
      }
      let isLeft = try await context.isPresent(context.path(folder))
      try context.expect(
        !isLeft, "a folder that was removed with \(Differences.words(planted)) in it is still there")
      try await context.write([1], to: "\(folder)/inner/file")
      for place in [folder, "\(folder)/inner"] {
        let foreign = try await context.backend.list(context.path(place)).foreign
        try context.expectNames(foreign, [], "foreign in “\(place)”, which was removed and made again")
      }
    },
  ]
}

private enum AwkwardNames {
  /// What the names below may be mistaken for, and names of ours can hold.
  static let ours = ["ab", "a_b", "a-b", "a.b", "file"]

  /// No path can hold them: control characters, of which XML, addresses, lines of text and terminals make something else or nothing,
  /// and what parts names elsewhere.
  private static let unspeakable = [
    "a\nb", "a\rb", "a\tb", "a\u{1}b", "a\u{1B}b", "a\u{7F}b", "a\u{85}b", "\n", "end\n", "a\\b", "\\",
    ".a b", "...",
  ]

  /// What those may be taken for or told as, and others that come near to them.
  private static let speakable = [
    "a b", "a?b", "a%0Ab", "a%09b", "a%5Cb", "a%b", "a\u{2028}b", "a\u{FFFD}b", "a\u{240A}b", "a^Jb",
    "a&#10;b",
    "^[[31mred", "\u{202E}txt.exe",
  ]

  static let all = unspeakable + speakable
}

extension LawContext {
  /// Puts files into a folder as another program would.
  ///
  /// - Returns: those that the storage took.
  /// - Throws: ``LawSkipped`` where the suite cannot do that.
  fileprivate func addForeign(_ names: [String], to folder: String) async throws -> [String] {
    guard let addForeign = storage.addForeign else {
      throw skip("the suite was given no way to add foreign files")
    }
    var added: [String] = []
    // Not every file system takes these, whoever writes them.
    for name in names where (try? await addForeign(name, path(folder))) != nil { added.append(name) }
    return added
  }

  /// Expects a file to hold its name.
  fileprivate func expectOwnName(of folder: String, _ name: String) async throws {
    let bytes = try await backend.download(classicPath("\(folder)/\(name)"), limit: 1_000)
    try expect(
      Self.areSame(bytes, Array(name.utf8)),
      "“\(Differences.escaped(name))” in “\(folder)” holds “\(Differences.escaped(String(decoding: bytes, as: UTF8.self)))”, which is not its name"
    )
  }
}
