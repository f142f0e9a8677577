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
    Law("the pages of a folder hold what a listing holds, each entry once") { context in
      let count = context.sizes.entries
      try await context.fill("folder", count)
      let listed = try await context.names(in: "folder")
      let paged = try await context.pages(of: "folder") { _, _ in }
      try context.expect(
        paged.sorted() == listed, "\(listed.count) entries are listed, and \(paged.count) are on pages")
    },
    Law("what lies in a folder all the while is on a page, whatever comes and goes") { context in
      let other = try await context.anotherClient()
      try await context.fill("folder", context.sizes.entries)
      let (first, last) = (try context.path("folder/a"), try context.path("folder/z"))
      let before = Set(try await context.names(in: "folder"))
      var gone: Set<String> = []
      let paged = try await context.pages(of: "folder") { number, page in
        // What was on the page before goes, so that all that follow move up; what comes moves them down.
        if number == 1, let name = page.first {
          try await other.remove(context.path("folder/\(name)"))
          gone.insert(name)
        }
        if number == 2 { for path in [first, last] { try await other.upload([1], to: path) } }
      }
      let stayed = before.subtracting(gone).sorted()
      let missed = Set(stayed).subtracting(paged)
      try context.expect(
        missed.isEmpty, "of \(stayed.count) entries that stayed, \(missed.count) are on no page")
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
      let foreign = [".DS_Store", "file (conflicted copy).set", "naïve", "trailing."]
      try await context.write([1], to: "folder/file")
      for name in foreign { try await addForeign(name, context.path("folder")) }
      for _ in 0..<2 {
        let listing = try await context.backend.list(context.path("folder"))
        try context.expect(
          listing.entries.map(\.name.description) == ["file"], "the entries are \(listing.entries)")
        try context.expect(
          listing.foreign.sorted() == foreign.sorted(), "reported as foreign are \(listing.foreign)")
      }
    },
    Law("a folder is removed together with what other programs put into it") { context in
      guard let addForeign = context.storage.addForeign else {
        throw context.skip("the suite was given no way to add foreign files")
      }
      try await context.makeFolder("folder")
      try await addForeign(".DS_Store", context.path("folder"))
      try await context.backend.remove(context.path("folder"))
      try await context.expectFailure(.notFound, of: "examining a removed folder") {
        try await context.backend.stat(context.path("folder"))
      }
    },
  ]
}

extension LawContext {
  /// The names on all pages of a folder.
  ///
  /// - Parameter after: called with the number of each page, from 1, and its names.
  func pages(
    of folder: String, _ after: (_ number: Int, _ names: [String]) async throws -> Void
  ) async throws -> [String] {
    var names: [String] = []
    var token: ListingPage.Token?
    var number = 0
    repeat {
      let page = try await backend.list(path(folder), after: token)
      number += 1
      try expect(number <= sizes.entries + 10, "the pages of a folder do not end")
      names += page.listing.entries.map(\.name.description)
      token = page.next
      try await after(number, page.listing.entries.map(\.name.description))
    } while token != nil
    return names
  }

  /// Makes a folder that is there whether or not empty ones are kept.
  func makeEntry(_ folder: String) async throws {
    let path = try path(folder)
    guard keepsEmptyFolders else { return try await backend.upload([1], to: self.path("\(folder)/file")) }
    try await backend.makeDirectory(path)
  }

  /// Makes a folder with many small files.
  func fill(_ folder: String, _ count: Int) async throws {
    try await makeFolder(folder)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        if number >= 8 { try await group.next() }
        let path = try path("\(folder)/file-\(number)")
        group.addTask { try await backend.upload([1], to: path) }
      }
      try await group.waitForAll()
    }
  }
}
