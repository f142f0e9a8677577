import SyncProtocol

extension BackendConformance {
  static let listingLaws = [
    Law("a folder of many files and folders is listed whole", alsoOfPages: true) { context in
      let count = context.sizes.entries
      let folders = min(count, 1_000)
      try await context.fill("folder", count)
      for number in 0..<folders { try await context.makeEntry("folder/inner-\(number)") }
      for client in [context.backend, try await context.anotherClient()] {
        let names = Set(try await context.names(in: "folder", for: client))
        let files = names.count { $0.hasPrefix("file-") }
        try context.expect(files == count, "\(files) of \(count) files are listed")
        try context.expect(
          names.count - files == folders, "\(names.count - files) of \(folders) folders are listed")
      }
    },
    Law("every entry is listed once") { context in
      try await context.fill("folder", 150)
      let names = try await context.backend.list(context.path("folder")).entries.map(\.name)
      try context.expect(
        names.count == Set(names).count, "\(names.count) entries have \(Set(names).count) names")
    },
    Law("a folder lists what lies directly in it, and nothing that lies deeper", alsoOfPages: true) {
      context in
      try await context.write([1], to: "a/file")
      try await context.write([1], to: "a/inner/deep")
      try await context.write([1], to: "b/inner/deep")
      let names = [
        try await context.names(in: ""), try await context.names(in: "a"), try await context.names(in: "b"),
      ]
      try context.expect(names == [["a", "b"], ["file", "inner"], ["inner"]], "found \(names)")
    },
    Law("a folder lists nothing of folders whose names begin alike", alsoOfPages: true) { context in
      for folder in ["a", "ab", "a-b", "a.b"] { try await context.write([1], to: "\(folder)/in-\(folder)") }
      let names = try await context.names(in: "a")
      try context.expect(names == ["in-a"], "“a” lists \(names)")
    },
    Law("an underscore or a dot in the name of what is listed stands for itself", alsoOfPages: true) {
      context in
      for folder in ["x_y", "xay", "x.y", "x-y"] {
        try await context.write([1], to: "\(folder)/in-\(folder)")
      }
      for folder in ["x_y", "x.y"] {
        let names = try await context.names(in: folder)
        try context.expect(names == ["in-\(folder)"], "“\(folder)” lists \(names)")
      }
    },
    Law("what other programs put into a folder is reported as foreign and left alone", alsoOfPages: true) {
      context in
      guard let addForeign = context.storage.addForeign else {
        throw context.skip("the suite was given no way to add foreign files")
      }
      let foreign = [
        ".DS_Store", "file (conflicted copy).set", "naïve", "trailing.", "backup~", "~$letter.docx",
        "#saved#",
        ".upload-1", ".tmp", ".file.swp", "a b",
      ]
      try await context.write([1], to: "folder/file")
      try await context.write([1], to: "0")
      let ours = [("folder", ["file"]), ("", ["0", "folder"])]
      for (folder, _) in ours {
        for name in foreign { try await addForeign(name, context.path(folder)) }
      }
      for _ in 0..<2 {
        for (folder, entries) in ours {
          let place = folder.isEmpty ? "the root" : "“\(folder)”"
          let listing = try await context.backend.list(context.path(folder))
          try context.expectNames(
            listing.entries.map(\.name.description), entries, "listed as ours in \(place)")
          try context.expectNames(listing.foreign, foreign, "reported as foreign in \(place)")
        }
      }
    },
    Law("foreign names end no listing and hide no entry", alsoOfPages: true) { context in
      guard let addForeign = context.storage.addForeign else {
        throw context.skip("the suite was given no way to add foreign files")
      }
      let ours = 20
      try await context.fill("folder", ours)
      // More than a page of them, which by their names come before ours.
      for number in 0..<context.sizes.entries { try await addForeign("(\(number))", context.path("folder")) }
      let listed = Set(try await context.names(in: "folder")).count
      try context.expect(
        listed == ours, "beside \(context.sizes.entries) foreign names, \(listed) of \(ours) files are listed"
      )
    },
    Law("a folder is removed together with what other programs put into it") { context in
      guard let addForeign = context.storage.addForeign else {
        throw context.skip("the suite was given no way to add foreign files")
      }
      // In the folder, deeper, and deeper beside a file of ours.
      for (folder, place) in [("one", "one"), ("two", "two/inner/deep"), ("three", "three/inner")] {
        try await context.makeFolder(place)
        if folder == "three" { try await context.write([1], to: "three/inner/file") }
        try await addForeign(".DS_Store", context.path(place))
        do { try await context.backend.remove(context.path(folder)) } catch let error as BackendError {
          throw ConformanceFailure(
            description: "“\(folder)”, with a foreign file in “\(place)”, could not be removed: \(error)")
        }
        try await context.expectFailure(.notFound, of: "examining a removed folder") {
          try await context.backend.stat(context.path(folder))
        }
      }
    },
  ]
}

extension LawContext {
  /// Makes a folder that is there whether or not empty ones are kept.
  func makeEntry(_ folder: String) async throws {
    let path = try path(folder)
    guard keepsEmptyFolders else { return try await backend.upload([1], to: self.path("\(folder)/file")) }
    try await backend.makeDirectory(path)
  }

  /// Makes a folder with many small files.
  func fill(_ folder: String, _ count: Int, named beginning: String = "file") async throws {
    try await makeFolder(folder)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        if number >= 8 { try await group.next() }
        let path = try path("\(folder)/\(beginning)-\(number)")
        group.addTask { try await backend.upload([1], to: path) }
      }
      try await group.waitForAll()
    }
  }
}
